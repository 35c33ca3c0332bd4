package stream_test

import (
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }
