package model_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// learnedHub is a hub with tiny models: org/comet and its encoder xlmr; org/kiwi, whose licence
// forbids commercial use; and org/xcomet, which is not run here.
func learnedHub(t *testing.T) {
	t.Helper()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	xcomet := t.TempDir()
	clitest.Write(t, filepath.Join(xcomet, "hparams.yaml"), "class_identifier: xcomet_metric\n")
	if err := os.Mkdir(filepath.Join(xcomet, "checkpoints"), 0o755); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(xcomet, "checkpoints", "model.ckpt"), "14 GB")
	folders := map[string]string{"org/comet": clitest.CometModels + "wmt22", "org/kiwi": clitest.CometModels + "kiwi", "xlmr": clitest.CometModels + "xlmr", "org/xcomet": xcomet}
	licences := map[string]string{"org/kiwi": "cc-by-nc-sa-4.0"}
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, folder := range folders {
			if r.URL.Path == "/api/models/"+name+"/revision/main" {
				var files []map[string]string
				filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
					if rel, _ := filepath.Rel(folder, path); !d.IsDir() {
						files = append(files, map[string]string{"rfilename": filepath.ToSlash(rel)})
					}
					return err
				})
				json.NewEncoder(w).Encode(map[string]any{"sha": commit, "siblings": files, "tags": []string{"license:" + licences[name]}})
				return
			}
			file, ok := strings.CutPrefix(r.URL.Path, "/"+name+"/resolve/"+commit+"/")
			if data, err := os.ReadFile(filepath.Join(folder, file)); ok && err == nil {
				w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(data)))
				http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(hub.Close)
	t.Setenv("HF_ENDPOINT", hub.URL)
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	t.Setenv("HF_TOKEN", "")
}

// A model of COMET's comes with what it needs of its encoder, and is then found by its name.
func TestGetCOMET(t *testing.T) {
	learnedHub(t)
	line := "score -r $Dref.de --source $Dsrc.en -m comet(model=org/comet) -b $Dsys/aspen.txt"
	if _, stderr, status := clitest.Exec(t, clitest.Args("", line)...); status != 2 || !strings.Contains(stderr, "`mteval model get org/comet` fetches it") {
		t.Errorf("status %d, %s", status, stderr)
	}
	stdout, stderr, status := clitest.Exec(t, "model", "get", "org/comet")
	if status != 0 || !strings.Contains(stderr, "the config and tokenizer of its encoder xlmr are in") {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if _, err := os.Stat(filepath.Join(strings.TrimSpace(stdout), "checkpoints", "model.ckpt")); err != nil {
		t.Error(err)
	}
	want, _, _ := clitest.Exec(t, clitest.Args("", strings.Replace(line, "org/comet", clitest.CometModels+"wmt22", 1))...)
	got, stderr, status := clitest.Exec(t, clitest.Args("", line)...)
	if status != 0 || got == "" || got != want {
		t.Errorf("status %d, %s: %q, want %q", status, stderr, got, want)
	}
	// The encoder is not there without the other's name.
	if err := os.RemoveAll(filepath.Join(os.Getenv("HF_HUB_CACHE"), "models--xlmr")); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := clitest.Exec(t, clitest.Args("", line)...); status != 2 || !strings.Contains(stderr, "encoder xlmr are neither beside it nor in the cache: `mteval model get org/comet` fetches them, or comet(encoder=…)") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if got, stderr, _ := clitest.Exec(t, clitest.Args("", strings.Replace(line, "org/comet", "org/comet,encoder="+clitest.CometModels+"xlmr", 1))...); got != want {
		t.Errorf("%q, %s", got, stderr)
	}
}

func TestGetCOMETLicence(t *testing.T) {
	learnedHub(t)
	stdout, stderr, status := clitest.Exec(t, "model", "get", "org/kiwi")
	if status != 2 || stdout != "" || !strings.Contains(stderr, "cc-by-nc-sa-4.0") || !strings.Contains(stderr, "--accept-licence") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	_, stderr, status = clitest.Exec(t, "model", "get", "--accept-licence", "org/kiwi")
	if status != 0 || !strings.Contains(stderr, "cc-by-nc-sa-4.0") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// What is not run here is not fetched.
func TestGetXCOMET(t *testing.T) {
	learnedHub(t)
	stdout, stderr, status := clitest.Exec(t, "model", "get", "org/xcomet")
	if status != 2 || stdout != "" || !strings.Contains(stderr, `"xcomet_metric" is not there`) {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	if found, _ := filepath.Glob(os.Getenv("HF_HUB_CACHE") + "/models--org--xcomet/snapshots/*/checkpoints/*"); found != nil {
		t.Errorf("fetched %q", found)
	}
}
