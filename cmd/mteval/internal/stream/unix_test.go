//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stream_test

import (
	"bytes"
	"context"
	"io"
	"os"
	osexec "os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
)

// TestStreamProcess is the command as a process of its own, for the tests below.
func TestStreamProcess(t *testing.T) {
	line := os.Getenv("MTEVAL_STREAM")
	if line == "" {
		t.Skip("others run it")
	}
	signal.Ignore(syscall.SIGPIPE) // as main does
	os.Exit(root.Run(t.Context(), strings.Split(line, "\n"), os.Stdout, os.Stderr))
}

func streamProcess(words ...string) *osexec.Cmd {
	c := osexec.Command(os.Args[0], "-test.run=^TestStreamProcess$")
	c.Env = append(os.Environ(), "MTEVAL_STREAM="+strings.Join(words, "\n"))
	return c
}

// A run that was killed goes on where it was, however often.
func TestStreamKilled(t *testing.T) {
	dir := t.TempDir()
	clitest.StreamSample(t, dir+"/in.tsv", 400)
	in, err := os.ReadFile(dir + "/in.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"out.tsv", "out.tsv.gz", "out.tsv.zst"} {
		path, whole := dir+"/"+name, dir+"/whole."+name
		if _, stderr, status := clitest.Exec(t, "stream", "-m", "chrf", dir+"/in.tsv", "-o", whole, "--totals", whole+".json"); status != 0 {
			t.Fatal(stderr)
		}
		for i := range 3 {
			// It reads from a pipe, and is killed when it has read a good part of it.
			c := streamProcess("stream", "-m", "chrf", "-o", path, "--resume")
			pipe, err := c.StdinPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pipe.Write(in[:len(in)*(i+1)/4]); err != nil {
				t.Fatal(err)
			}
			// The first block is saved at once, the others after seconds.
			for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(5 * time.Millisecond) {
				if at, err := os.Stat(path + ".part"); err == nil && at.Size() > 0 {
					if _, err := os.Stat(path + ".progress"); err == nil {
						break
					}
				}
			}
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			c.Wait()
			if _, err := os.Stat(path); err == nil {
				t.Fatal("the output is there before its end")
			}
		}
		if _, stderr, status := clitest.Exec(t, "stream", "-m", "chrf", dir+"/in.tsv", "-o", path); status != 2 || !strings.Contains(stderr, "there is a part of it already") {
			t.Errorf("without --resume: status %d, %s", status, stderr)
		}
		if _, stderr, status := clitest.Exec(t, "stream", "-m", "chrf", dir+"/in.tsv", "-o", path, "--resume", "--totals", path+".json"); status != 0 {
			t.Fatal(stderr)
		}
		files := clitest.Snapshot(t, dir)
		if files[path] == "" || files[path] != files[whole] || files[path+".json"] != files[whole+".json"] {
			t.Errorf("%s: %d bytes, want %d; totals %s", name, len(files[path]), len(files[whole]), files[path+".json"])
		}
		for _, left := range []string{path + ".part", path + ".progress"} {
			if _, ok := files[left]; ok {
				t.Errorf("%s is left behind", left)
			}
		}
	}
}

// Who reads the output may stop, of which nothing is said.
func TestStreamHead(t *testing.T) {
	dir := t.TempDir()
	clitest.StreamSample(t, dir+"/in.tsv", 2000)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := streamProcess("stream", "-m", "wordf", dir+"/in.tsv")
	var stderr bytes.Buffer
	c.Stdout, c.Stderr = w, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := io.ReadFull(r, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	c.Wait()
	if stderr.Len() > 0 || c.ProcessState.ExitCode() != 1 {
		t.Errorf("status %d, %s", c.ProcessState.ExitCode(), stderr.String())
	}
}

// A disk that is full is an error, and leaves no file that looks whole.
func TestStreamFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no such device here: ", err)
	}
	dir := t.TempDir()
	clitest.StreamSample(t, dir+"/in.tsv", 1)
	for _, line := range []string{"stream $T/in.tsv -o /dev/full", "stream $T/in.tsv -o $T/out --totals /dev/full"} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...)
		if status != 1 || stdout != "" || !strings.Contains(stderr, "write /dev/full: no space left on device") {
			t.Errorf("%s: status %d, %s", line, status, stderr)
		}
	}
	// Where the totals can't be written, the lines are there for --resume, and not under their name.
	if _, err := os.Stat(dir + "/out"); err == nil {
		t.Error("there is an output without its totals")
	}
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "stream $T/in.tsv -o $T/out --totals $T/totals --resume")...); status != 0 || len(clitest.Snapshot(t, dir)) != 3 {
		t.Errorf("status %d, %s: %d files", status, stderr, len(clitest.Snapshot(t, dir)))
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	var stderr bytes.Buffer
	if status := root.Run(t.Context(), clitest.Args(dir, "stream $T/in.tsv"), full, &stderr); status != 1 || !strings.Contains(stderr.String(), "no space left on device") {
		t.Errorf("standard output: status %d, %s", status, stderr.String())
	}
	// A file may be no longer than so much, which is a disk that fills up on the way.
	clitest.StreamSample(t, dir+"/long.tsv", 100)
	c := osexec.Command("sh", "-c", `ulimit -f 1024 && trap "" XFSZ && exec "$0" -test.run='^TestStreamProcess$'`, os.Args[0])
	c.Env = append(os.Environ(), "MTEVAL_STREAM="+strings.Join([]string{"stream", "-m", "chrf", dir + "/long.tsv", "-o", dir + "/out.tsv"}, "\n"))
	out, _ := c.CombinedOutput()
	if c.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "file too large") || !strings.Contains(string(out), "--resume goes on") {
		t.Errorf("status %d, %s", c.ProcessState.ExitCode(), out)
	}
	if _, err := os.Stat(dir + "/out.tsv"); err == nil {
		t.Error("there is an output")
	}
	want, _, _ := clitest.Exec(t, clitest.Args(dir, "stream -m chrf $T/long.tsv")...)
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "stream -m chrf $T/long.tsv -o $T/out.tsv --resume")...); status != 0 || clitest.Snapshot(t, dir)[dir+"/out.tsv"] != want {
		t.Errorf("with room again: status %d, %s", status, stderr)
	}
}

// A signal ends it at once, also where it waits for more lines, and it goes on from there.
func TestStreamInterrupted(t *testing.T) {
	dir := t.TempDir()
	clitest.StreamSample(t, dir+"/in.tsv", 100)
	in, err := os.ReadFile(dir + "/in.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if err := clitest.MakePipe(dir + "/pipe"); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan string, 1)
	go func() {
		var stderr bytes.Buffer
		status := root.Run(ctx, clitest.Args(dir, "stream -m chrf,ter $T/pipe -o $T/out"), io.Discard, &stderr)
		done <- strconv.Itoa(status) + " " + stderr.String()
	}()
	pipe, err := os.OpenFile(dir+"/pipe", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := pipe.Write(in[:len(in)/2]); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		if at, err := os.Stat(dir + "/out.part"); err == nil && at.Size() > 0 {
			break
		}
	}
	cancel()
	select {
	case got := <-done:
		if got != "130 mteval: interrupted\n" {
			t.Errorf("it ends with %s", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on for a minute")
	}
	if _, err := os.Stat(dir + "/out"); err == nil {
		t.Error("there is an output")
	}
	want, _, _ := clitest.Exec(t, clitest.Args(dir, "stream -m chrf,ter $T/in.tsv")...)
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "stream -m chrf,ter $T/in.tsv -o $T/out --resume")...); status != 0 || clitest.Snapshot(t, dir)[dir+"/out"] != want {
		t.Errorf("status %d, %s", status, stderr)
	}
}
