package hub

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLicenceOf(t *testing.T) {
	for _, tt := range []struct{ card, want string }{
		{"---\nlanguage:\n- en\nlicense: cc-by-nc-sa-4.0\n---\ntext", "cc-by-nc-sa-4.0"},
		{"---\r\nlicense: \"cc-by-nc-4.0\"\r\n---\r\n", "cc-by-nc-4.0"},
		{"---\nlicense:\n- mit\n- cc-by-nc-4.0\ntags: [nc]\n---\n", "mit cc-by-nc-4.0"},
		{"---\nlicense: other\nlicense_name: my-non-commercial\n---\n", "other my-non-commercial"},
		{"---\nlicense: apache-2.0\n---\nlicense: cc-by-nc-4.0\n", "apache-2.0"},
		{"# A model\nlicense: cc-by-nc-4.0\n", ""},
		{"---\ntags:\n- license\n---\n", ""},
		{"", ""},
	} {
		got := strings.Join(strings.Fields(licenceOf(tt.card)), " ")
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.card, got, tt.want)
		}
	}
	for name, want := range map[string]bool{
		"cc-by-nc-sa-4.0": true, "cc-by-nc-4.0": true, "CC-BY-NC": true, "deepfloyd-if-noncommercial": true, "my non-commercial": true,
		"mit": false, "apache-2.0": false, "cc-by-sa-4.0": false, "ncsa": false, "bsd-3-clause-nciaa": false, "": false,
	} {
		if got := nonCommercial.MatchString(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

// asks answers the list of files with tags, and files of their own.
func (f *fake) asks(tags []string, files map[string]string) {
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			var all []map[string]string
			for name := range files {
				all = append(all, map[string]string{"rfilename": name})
			}
			json.NewEncoder(w).Encode(map[string]any{"sha": commit, "siblings": all, "tags": tags})
			return true
		}
		text, ok := files[strings.TrimPrefix(r.URL.Path, "/org/model/resolve/"+commit+"/")]
		if ok {
			w.Header().Set("ETag", `"x"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte(text)))
		}
		return ok
	}
}

func TestGetLicence(t *testing.T) {
	const card = "---\nlicense: cc-by-nc-sa-4.0\n---\n"
	model := map[string]string{"README.md": card, "hparams.yaml": "class_identifier: unified_metric\n", "checkpoints/model.ckpt": "weights"}
	free := map[string]string{"README.md": "---\nlicense: apache-2.0\n---\n", "hparams.yaml": "a: b\n", "checkpoints/model.ckpt": "weights"}
	for _, tt := range []struct {
		name  string
		tags  []string
		files map[string]string
		ask   bool
	}{
		{"of the hub's tags", []string{"license:cc-by-nc-sa-4.0"}, model, true},
		{"of the card", nil, model, true},
		{"other, of the card", []string{"license:other"}, model, true},
		{"free by the card", nil, free, false},
		{"free by the tags", []string{"x", "license:mit"}, free, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.asks(tt.tags, tt.files)
			var notes []string
			o := Options{Note: func(text string) { notes = append(notes, text) }}
			dir, err := f.get(o)
			if tt.ask {
				if !errors.Is(err, ErrLicence) {
					t.Fatalf("%v, want ErrLicence", err)
				}
				has(t, err, "model org/model", "cc-by-nc-sa-4.0", f.hub.URL+"/org/model", "--accept-licence")
				if r := f.requests("model.ckpt"); r != nil {
					t.Errorf("asked for the weights: %q", r)
				}
				o.AcceptLicence = true
				if dir, err = f.get(o); len(notes) != 1 || !strings.Contains(notes[0], "cc-by-nc-sa-4.0") {
					t.Errorf("told %q", notes)
				}
			} else if notes != nil {
				t.Errorf("told %q", notes)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"hparams.yaml", "checkpoints/model.ckpt"} {
				got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
				if err != nil || string(got) != tt.files[name] {
					t.Errorf("%s: %q, %v", name, got, err)
				}
			}
			f.requests("")
			if again, err := f.get(o); err != nil || again != dir {
				t.Errorf("%s, %v", again, err)
			}
			if r := f.requests("GET hub /org"); r != nil {
				t.Errorf("downloaded again: %q", r)
			}
		})
	}
}

func TestGetGated(t *testing.T) {
	f := newFake(t)
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			return false
		}
		w.Header().Set("X-Error-Code", "GatedRepo")
		w.WriteHeader(http.StatusForbidden)
		return true
	}
	_, err := f.once(Options{})
	has(t, err, "accept them at "+f.hub.URL+"/org/model", "HF_TOKEN")
	if !errors.Is(err, ErrToken) {
		t.Error(err)
	}
}

func TestGetWithoutWeights(t *testing.T) {
	f := newFake(t)
	dir, err := f.get(Options{WithoutWeights: true})
	f.complete(dir, err, "config.json", "tokenizer.json", "tokenizer_config.json")
	// What is missing comes later.
	dir, err = f.get(Options{})
	f.complete(dir, err, whole...)
}
