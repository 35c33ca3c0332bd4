package torchfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/tensors"
)

// entry is a file in a zip file.
type entry struct{ name, data string }

func archiveOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store})
		if err == nil {
			_, err = f.Write([]byte(e.data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// pickled is a zip file of this pickle, without its protocol and end, and a storage of the
// bytes of four numbers.
func pickled(t testing.TB, pickle string) []byte {
	return archiveOf(t, entry{"a/data.pkl", "\x80\x02" + pickle + "."}, entry{"a/data/0", strings.Repeat("\x00", 16)})
}

// Parts of pickles.
const (
	// persistent is what names storage 0, of four numbers.
	persistent = "(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04tQ"
	rebuild    = "ctorch._utils\n_rebuild_tensor_v2\n("
	hooks      = "\x89ccollections\nOrderedDict\n)Rt"
)

// tensorOf is a pickle of {"x": a tensor of storage 0}.
func tensorOf(rest string) string {
	return "}X\x01\x00\x00\x00x" + rebuild + persistent + rest + hooks + "Rs"
}

// int8s is an integer of 8 bytes.
func int8s(n int64) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// headOf is what comes before the value in the old form.
func headOf() string {
	return "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}X\r\x00\x00\x00little_endian\x88s."
}

// hostile are files that are refused, and what the error says.
func hostile(t testing.TB) map[string]struct {
	data []byte
	want string
} {
	type file = struct {
		data []byte
		want string
	}
	good := pickled(t, tensorOf("K\x00K\x04\x85K\x01\x85"))
	if _, err := Parse(good); err != nil {
		t.Fatal(err)
	}
	changed := func(old, new string) []byte {
		out := bytes.ReplaceAll(good, []byte(old), []byte(new))
		if bytes.Equal(out, good) {
			t.Fatalf("no %q", old)
		}
		return out
	}
	directory := bytes.LastIndex(good, []byte("PK\x01\x02")) // of a/data/0
	patched := func(at int, bytes ...byte) []byte {
		out := append([]byte(nil), good...)
		copy(out[at:], bytes)
		return out
	}
	p := func(pickle string) []byte { return pickled(t, pickle) }
	old := headOf() + "\x80\x02" + tensorOf("K\x00K\x04\x85K\x01\x85") + ".\x80\x02]X\x01\x00\x00\x000a."
	oldGood := old + "\x04\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 16)
	if _, err := Parse([]byte(oldGood)); err != nil {
		t.Fatal(err)
	}
	return map[string]file{
		"nothing":            {nil, "not a file of torch.save"},
		"a page":             {[]byte("<html>"), `begins with "<html>"`},
		"a pointer":          {[]byte("version https://git-lfs.github.com/spec/v1\n"), "a pointer of Git LFS"},
		"a zip":              {archiveOf(t, entry{"a/b", ""}), "without data.pkl"},
		"an empty zip":       {[]byte("PK\x03\x04" + string(archiveOf(t))), "empty zip file"},
		"cut off":            {good[:len(good)-1], "not a valid zip file, or cut off"},
		"half":               {good[:len(good)/2], "not a valid zip file, or cut off"},
		"two folders":        {archiveOf(t, entry{"a/data.pkl", "N."}, entry{"b/data.pkl", "N."}), `"b/data.pkl": is not in the folder "a"`},
		"twice":              {archiveOf(t, entry{"a/data.pkl", "N."}, entry{"a/data.pkl", "N."}), `"a/data.pkl": is there twice`},
		"big endian":         {archiveOf(t, entry{"a/data.pkl", "N."}, entry{"a/byteorder", "big"}), `byteorder: "big" is not little`},
		"behind the pickle":  {archiveOf(t, entry{"a/data.pkl", "N.N"}), "1 bytes are behind"},
		"a size":             {patched(directory+20, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f), `"a/data/0": 2147483647 bytes from byte`},
		"two sizes":          {patched(directory+20, 9), `"a/data/0": `},
		"an offset":          {patched(directory+42, 0xff, 0xff, 0xff, 0x7f), `"a/data/0": `},
		"an offset inside":   {patched(directory+42, 1), `"a/data/0": `},
		"one within another": {patched(directory+42, 0, 0, 0, 0), `"a/data`},
		"deflated":           {patched(directory+10, 8), `"a/data/0": is compressed`},
		"encrypted":          {patched(directory+8, 1), `"a/data/0": is compressed or encrypted`},

		"no storage":       {archiveOf(t, entry{"a/data.pkl", "\x80\x02" + tensorOf("K\x00K\x04\x85K\x01\x85") + "."}), `"data/0": missing`},
		"a larger storage": {archiveOf(t, entry{"a/data.pkl", "\x80\x02" + tensorOf("K\x00K\x04\x85K\x01\x85") + "."}, entry{"a/data/0", strings.Repeat("\x00", 17)}), `storage "0": 17 bytes, and 4 numbers of F32 take 16`},
		"two types":        {p("(" + persistent + strings.Replace(persistent, "Float", "Int", 1) + "t"), `storage "0" is of 4 numbers of I32 here, and of 4 of F32 before`},
		"a storage alone":  {p(persistent), "a storage without a tensor"},
		"a huge storage":   {p(strings.Replace(persistent, "K\x04", int8s(math.MaxInt64), 1)), "without a key and a number"},
		"less than none":   {p(strings.Replace(persistent, "K\x04", int8s(-1), 1)), "without a key and a number"},
		"an odd id":        {p("K\x01Q"), "a persistent id that is no storage"},
		"an odd storage":   {p(strings.Replace(persistent, "FloatStorage", "float32", 1)), "torch.float32 is no type of storages"},
		"part of another":  {p("}X\x01\x00\x00\x00x" + strings.Replace(persistent, "tQ", "X\x01\x00\x00\x001K\x00K\x01\x87tQ", 1) + "s"), "part of another"},

		"outside":           {p(tensorOf("K\x01K\x04\x85K\x01\x85")), `"x": shape [4] with strides [1] reaches to number 5 of 4`},
		"an offset outside": {p(tensorOf("K\x05K\x00\x85K\x01\x85")), `"x": begins at number 5 of 4`},
		"before":            {p(tensorOf(int8s(-1) + "K\x04\x85K\x01\x85")), "its offset is no place"},
		"a stride outside":  {p(tensorOf("K\x00K\x02\x85K\x04\x85")), `"x": shape [2] with strides [4] reaches to number 5 of 4`},
		"a stride back":     {p(tensorOf("K\x00K\x02\x85" + int8s(-1) + "\x85")), "its strides: not a tuple of sizes"},
		"a huge stride":     {p(tensorOf("K\x00K\x03\x85" + int8s(math.MaxInt64/2+1) + "\x85")), "are too large"},
		"a huge shape":      {p(tensorOf("K\x00" + strings.Repeat(int8s(1<<31-1), 3) + "\x87K\x00K\x00K\x00\x87")), "is too large"},
		"a shape of texts":  {p(tensorOf("K\x00X\x01\x00\x00\x00x\x85K\x01\x85")), "its shape: not a tuple of sizes"},
		"a rank":            {p(tensorOf("K\x00(" + strings.Repeat("K\x01", 65) + "t(" + strings.Repeat("K\x01", 65) + "t")), "its shape: not a tuple of sizes"},
		"no stride":         {p(tensorOf("K\x00K\x04\x85)")), "0 strides for a shape of 1"},
		"no storage's":      {p(rebuild + "K\x00K\x00K\x04\x85K\x01\x85" + hooks + "R"), "of an integer, not of a storage"},
		"few arguments":     {p("ctorch._utils\n_rebuild_tensor_v2\n)R"), "fewer arguments than 4"},
		"negated":           {p("}X\x01\x00\x00\x00x" + rebuild + persistent + "K\x00K\x04\x85K\x01\x85\x89}}X\x03\x00\x00\x00neg\x88stRs"), `says "neg" of its numbers`},
		"much of little": {p("}(" + func() string {
			var b strings.Builder
			for i := range 40 {
				fmt.Fprintf(&b, "X\x02\x00\x00\x00%02d%s%sK\x00K\x04\x85K\x01\x85%sR", i, rebuild, persistent, hooks)
			}
			return b.String()
		}() + "u"), "tensors of 640 bytes share 16"},

		"a call":              {p("cposix\nsystem\nX\x02\x00\x00\x00ls\x85R"), `byte 2: instruction 0x63: names "posix.system", which is no part of a model's weights, and is refused`},
		"a call on the stack": {p("X\x02\x00\x00\x00osX\x06\x00\x00\x00system\x93"), `names "os.system"`},
		"a name of a name":    {p("cbuiltins\n__import__\n"), `names "builtins.__import__"`},
		"a part of a name":    {p("ctorch\nserialization.os.system\n"), `names "torch.serialization.os.system"`},
		"a type called":       {p("ctorch\nfloat32\n)R"), "torch.float32 can't be called with a tuple"},
		"a text called":       {p("X\x02\x00\x00\x00ls)R"), "a text can't be called"},
		"itself":              {p("ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._tensor\n_rebuild_from_type_v2\nctorch\nTensor\n)}tR"), "of itself"},
		"an instance":         {p("(ios\nsystem\n"), "instruction 0x69: makes an object"},
		"an object":           {p("(cposix\nsystem\no"), `names "posix.system"`},
		"an extension":        {p("\x82\x01"), "instruction 0x82: makes an object"},
		"a buffer":            {p("\x97"), "instruction 0x97: makes an object"},
		"an odd instruction":  {p("\xff"), "byte 2: instruction 0xff: is not known"},
		"protocol 6":          {archiveOf(t, entry{"a/data.pkl", "\x80\x06N."}), "protocol 6"},

		"no end":          {archiveOf(t, entry{"a/data.pkl", "\x80\x02N"}), "byte 3: the data end within it"},
		"a text cut off":  {p("X\xff\xff\xff\x7f"), "the data end within it"},
		"a huge text":     {p("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"), "the data end within it"},
		"a line cut off":  {p("ctorch"), "has no end"},
		"a long name":     {p("c" + strings.Repeat("a", 5000) + "\nb\n"), "a line of more than 4096 bytes"},
		"nothing to take": {p("0"), "there is no value"},
		"too few":         {p("N\x86"), "there are no 2 values"},
		"beyond the mark": {p("N(\x85"), "there are no 1 values"},
		"no mark":         {p("t"), "there is no mark"},
		"a mark left":     {p("N(N"), "more values than one are left"},
		"an unknown memo": {p("h\x07"), "no value was remembered as 7"},
		"a key alone":     {p("(K\x01d"), "a key without a value"},
		"a key twice":     {p("}(K\x01NK\x01Nu"), `key "1" is there twice`},
		"a key two ways":  {p("}(K\x01NX\x01\x00\x00\x001Nu"), `key "1" is there as a text and as something else`},
		"a long key":      {p("}X\x01\x04\x00\x00" + strings.Repeat("a", 1025) + "Ns"), "a key of 1025 bytes"},
		"a list as a key": {p("}]Ns"), "a list is the key of a dict"},
		"items of a text": {p("X\x00\x00\x00\x00Na"), "a text does not take items"},
		"keys of a list":  {p("]NNs"), "a list does not take items"},
		"a state":         {p("]}b"), "a list can't have attributes from a dict"},
		"a large integer": {p("\x8b\x00\x01\x00\x00" + strings.Repeat("\x01", 256)), "an integer of 256 bytes"},
		"many digits":     {p("I" + strings.Repeat("1", 1000) + "\n"), "is no integer"},
		"no bytes":        {p("c_codecs\nencode\nX\x03\x00\x00\x00\xe2\x82\xacX\x06\x00\x00\x00latin1\x86R"), "a character that is no byte"},

		"10,000 levels":    {p(strings.Repeat("]", 10_000) + strings.Repeat("a", 9_999)), "nested more than 100 deep"},
		"10,000 tuples":    {p("N" + strings.Repeat("\x85", 10_000)), "nested more than 100 deep"},
		"a list of itself": {p("]q\x00h\x00a"), "nested more than 100 deep"},
		"a dict of itself": {p("}q\x00K\x01h\x00s"), "nested more than 100 deep"},
		"doubled 90 times": {p("N" + strings.Repeat("2\x86", 90)), "more than 17116 values"}, // 1<<14 and 4 times 183 instructions
		"instructions":     {p(strings.Repeat("N0", 1<<20)), "more than 2097152 instructions"},

		"old: another magic":    {[]byte("\x80\x02\x8a\nm\xfc\x9cF\xf9 j\xa8P\x19."), "without its magic number"},
		"old: another version":  {[]byte(strings.Replace(oldGood, "M\xe9\x03", "M\xea\x03", 1)), "that is not 1001"},
		"old: big endian":       {[]byte(strings.Replace(oldGood, "endian\x88", "endian\x89", 1)), "not in little-endian order"},
		"old: cut off":          {[]byte(oldGood[:len(oldGood)-1]), `storage "0": byte`},
		"old: no numbers":       {[]byte(old), "cut off"},
		"old: no keys":          {[]byte(strings.Replace(oldGood, "]X\x01\x00\x00\x000a.", "].", 1)), "the value names 1"},
		"old: another key":      {[]byte(strings.Replace(oldGood, "]X\x01\x00\x00\x000a.", "]X\x01\x00\x00\x001a.", 1)), `storage "1": is there twice, or not named`},
		"old: another count":    {[]byte(old + "\xff\xff\xff\xff\xff\xff\xff\xff" + strings.Repeat("\x00", 16)), "has 18446744073709551615 numbers, and the value says 4"},
		"old: more behind":      {[]byte(oldGood + "\x00"), "1 bytes are behind the last storage"},
		"old: a call":           {[]byte(headOf() + "\x80\x02cposix\nsystem\n"), `names "posix.system"`},
		"a changed folder":      {changed("a/data.pkl", "b/data.pkl"), "is not in the folder"},
		"the end of the folder": {changed("a/data/0", "a/data/1"), `"data/0": missing`},
	}
}

func TestHostile(t *testing.T) {
	for name, c := range hostile(t) {
		if _, err := Parse(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// The numbers are not copied: to parse 8 MB of them, in both forms, and to read them where
// they are aligned takes nothing of their size.
func TestNoCopy(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates too")
	}
	const n = 2 << 20
	long := strings.Replace(tensorOf("K\x00J\x00\x00\x20\x00\x85K\x01\x85"), "K\x04tQ", "J\x00\x00\x20\x00tQ", 1)
	numbers := strings.Repeat("\x00\x00\x80\x3f", n)
	for form, data := range map[string][]byte{
		"zip": archiveOf(t, entry{"a/data.pkl", "\x80\x02" + long + "."}, entry{"a/data/0", numbers}),
		"old": []byte(headOf() + "\x80\x02" + long + ".\x80\x02]X\x01\x00\x00\x000a.\x00\x00\x20\x00\x00\x00\x00\x00" + numbers),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v, err := Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		x := v.(map[string]any)["x"].(tensors.Tensor)
		b, err := x.Bytes()
		runtime.ReadMemStats(&after)
		if err != nil || len(b) != 4*n {
			t.Errorf("%s: %d bytes, %v", form, len(b), err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > n/8 {
			t.Errorf("%s: %d bytes allocated for %d of numbers", form, got, 4*n)
		}
	}
}

// What is allocated in all is bounded by the file's size: a pickle of a few megabytes that
// is the worst in its kind.
func TestMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates too")
	}
	const n = 1 << 20
	key := "X\x00\x04\x00\x00" + strings.Repeat("a", 1<<10)
	long := "X\x00\x00\x10\x00" + strings.Repeat("a", n)
	for name, pickle := range map[string]string{
		"dicts":        "(" + strings.Repeat("}", n) + "t",
		"remembered":   "(" + strings.Repeat("}\x94", n/2) + "t",
		"same text":    "(" + long + "q\x00" + strings.Repeat("h\x00", n/2) + "t",
		"marks":        strings.Repeat("(", n),
		"namespaces":   "cargparse\nNamespace\nq\x000(" + strings.Repeat("h\x00)\x81", n/4) + "t",
		"same keys":    key + "q\x000(" + strings.Repeat("}h\x00Ns", n/8) + "t",
		"same tensor":  "(" + rebuild + persistent + "K\x00K\x04\x85K\x01\x85" + hooks + "Rq\x00" + strings.Repeat("h\x00", n/2) + "t",
		"same set":     "c__builtin__\nset\nq\x000(" + strings.Repeat("N", n/2) + "lq\x010(" + strings.Repeat("h\x00h\x01\x85R", n/12) + "t",
		"same pairs":   "ccollections\nOrderedDict\nq\x000(" + manyKeys(n/16, "N\x86") + "lq\x010(" + strings.Repeat("h\x00h\x01\x85R", n/12) + "t",
		"same state":   "cargparse\nNamespace\nq\x000}(" + manyKeys(n/12, "N") + "uq\x010(" + strings.Repeat("h\x00)\x81h\x01b", n/14) + "t",
		"same bytes":   "c_codecs\nencode\nq\x000" + long + "X\x06\x00\x00\x00latin1\x86q\x010(" + strings.Repeat("h\x00h\x01R", n/10) + "t",
		"same storage": long + "q\x000(" + strings.Repeat("(X\x07\x00\x00\x00storagectorch\nFloatStorage\nh\x00NK\x04tQ", n/40) + "t",
		"long numbers": "(" + strings.Repeat("\x8a\x09"+strings.Repeat("\x01", 9), n/11) + "t",
	} {
		data := pickled(t, pickle)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v, err := Parse(data)
		runtime.ReadMemStats(&after)
		times := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(data))
		t.Logf("%s: %.0f times the file's %d bytes (%v)", name, times, len(data), err)
		if times > 250 {
			t.Errorf("%s: %.0f times the file's %d bytes", name, times, len(data))
		}
		runtime.KeepAlive(v)
	}
}

// A short pickle of dicts that are in the next ten times each takes no more than the few
// values that every file may have.
func TestMemoryOfBomb(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates too")
	}
	bomb := "}q\x00"
	for i := range 60 {
		bomb += "}("
		for k := range 10 {
			bomb += fmt.Sprintf("X\x01\x00\x00\x00%dh%c", k, i)
		}
		bomb += fmt.Sprintf("uq%c", i+1)
	}
	data := pickled(t, "("+bomb+"t")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Parse(data)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "values, those counted again") {
		t.Error(err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
		t.Errorf("%d bytes allocated for a file of %d", got, len(data))
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range hostile(f) {
		if len(c.data) < 1<<16 {
			f.Add(c.data)
		}
	}
	for _, name := range []string{"alone.pt", "lightning.pt", "lightning-5.pt", "lightning-old.pt", "tensors-old.pt", "newer.pt", "refused-tar.pt"} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		if err != nil {
			return
		}
		if sum := numbers(t, v); sum > maxShared*len(data)+maxShared {
			t.Fatalf("%d bytes of numbers in %d", sum, len(data))
		}
	})
}

// FuzzPickle is FuzzParse without a zip file around, whose sums and places few changes keep.
func FuzzPickle(f *testing.F) {
	for _, pickle := range []string{tensorOf("K\x00K\x04\x85K\x01\x85"), "]q\x00h\x00a", "}(K\x01NK\x01Nu", "cargparse\nNamespace\n)\x81}X\x01\x00\x00\x00xK\x01sb"} {
		f.Add([]byte(pickle))
	}
	f.Fuzz(func(t *testing.T, pickle []byte) {
		data := pickled(t, string(pickle))
		if v, err := Parse(data); err == nil && numbers(t, v) > maxShared*len(data) {
			t.Fatal("more numbers than the file has")
		}
	})
}

// manyKeys are n keys of a dict, each with a value.
func manyKeys(n int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "J%s%s", binary.LittleEndian.AppendUint32(nil, uint32(i)), value)
	}
	return b.String()
}

// numbers reads all tensors in a value and returns how many bytes they have.
func numbers(t *testing.T, v any) int {
	sum := 0
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			sum += numbers(t, x)
		}
	case []any:
		for _, x := range v {
			sum += numbers(t, x)
		}
	case tensors.Tensor:
		data, err := v.Bytes()
		if (err != nil) != v.Repeats() || err == nil && len(data) != v.Size() {
			t.Fatalf("tensor %s: %d bytes, error %v", v.Name, len(data), err)
		}
		sum = len(data)
	}
	return sum
}
