#!/usr/bin/env bash
# Sets a machine up for building with libtorch (x86-64 Linux with a C++ compiler; 2.1 to
# 2.11 were tried), and writes DIR/env.sh to source before it:
#
#   scripts/libtorch.sh DIR [VERSION]
#   . DIR/env.sh && go build -tags libtorch ./cmd/mteval
#
# It takes the libtorch that is there, CUDA included: that of LIBTORCH, a folder with lib/
# and include/, or of the torch of python3. (PYTHON names another.) Where there is none, or
# VERSION is given, it downloads PyTorch's wheel of VERSION (2.11.0) with pip, and keeps
# what is needed for the CPU, 540 MB, in DIR. DIR must stay where it is. The first build
# takes the C++ compiler 3 minutes and 2.5 GB of memory; a second DIR takes them again.
set -euo pipefail
dir=${1:?usage: libtorch.sh DIR [VERSION]}
version=${2:-}
python=${PYTHON:-python3}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir/stub"
dir=$(cd "$dir" && pwd)

download() { # VERSION PACKAGE…
	local wheels=$dir/wheels version=$1
	shift
	rm -rf "$wheels" "$dir/torch" "$dir/nvidia" "$dir/version"
	"$python" -m pip download -q --no-deps --only-binary=:all: --python-version 3.11 -d "$wheels" "torch==$version" "$@" >&2
	"$python" - "$dir" "$wheels"/*.whl >&2 <<-'PY'
		import re, sys, zipfile
		wanted = re.compile(r"torch/(lib/(libtorch_cpu|libc10)\.so$|lib/libgomp|include/)|nvidia/.*/lib/")
		for path in sys.argv[2:]:
		    with zipfile.ZipFile(path) as wheel:
		        for name in wheel.namelist():
		            if wanted.match(name):
		                wheel.extract(name, sys.argv[1])
	PY
	rm -rf "$wheels"
	printf '%s\n' "$version" >"$dir/version" # last: all before it is there
}

root=${LIBTORCH:-}
if [ -z "$root$version" ]; then
	root=$("$python" -c 'import os, torch; print(os.path.dirname(torch.__file__))' 2>/dev/null || true)
fi
if [ -z "$root" ]; then
	version=${version:-2.11.0}
	root=$dir/torch
	if [ "$(cat "$dir/version" 2>/dev/null)" != "$version" ]; then
		# libtorch_cpu.so asks for two libraries of CUDA's, though it does without a GPU.
		case $version in
		2.1.*) download "$version" nvidia-cuda-runtime-cu12==12.1.105 nvidia-cuda-cupti-cu12==12.1.105 ;;
		2.11.*) download "$version" nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85 ;;
		*)
			echo "libtorch.sh: only 2.1.x and 2.11.x are known; install another torch and leave VERSION out" >&2
			exit 1
			;;
		esac
	fi
fi
lib=$root/lib
[ -f "$lib/libtorch_cpu.so" ] && [ -d "$root/include" ] || {
	echo "libtorch.sh: $root has no lib/libtorch_cpu.so, or no include/" >&2
	exit 1
}

# gotch links with CUDA's libraries by name whether there are any or not. Empty archives
# satisfy it; what libtorch itself needs of them, it finds.
stubs="cuda cudart cublas cudnn caffe2_nvrtc nvrtc-builtins nvrtc nvToolsExt"
rm -f "$dir"/stub/*.a
device="the CPU"
link="-L$dir/stub -L$lib -Wl,-rpath,$lib -Wl,--unresolved-symbols=ignore-in-shared-libs"
if [ -f "$lib/libtorch_cuda.so" ]; then
	device="the CPU and CUDA"
	# Nothing calls into these by name: loading them is what makes CUDA known.
	link="$link -Wl,--no-as-needed -ltorch -ltorch_cuda -lc10_cuda -Wl,--as-needed"
else
	stubs="$stubs torch c10_cuda torch_cuda"
fi
for l in $stubs; do
	ar crs "$dir/stub/lib$l.a"
done

# Which of the two forms of std::string the library was compiled with.
abi=0
if grep -q c105ErrorC.ENS_14SourceLocationENSt7__cxx11 "$lib/libc10.so"; then
	abi=1
fi

cmp -s "$here/gotch_compat.h" "$dir/gotch_compat.h" || cp "$here/gotch_compat.h" "$dir/gotch_compat.h"
cat >"$dir/env.sh" <<-ENV
	# Written by scripts/libtorch.sh: source it before go build -tags libtorch.
	export CGO_ENABLED=1
	export CGO_CXXFLAGS="-D_GLIBCXX_USE_CXX11_ABI=$abi -include $dir/gotch_compat.h -O2 -w -I$root/include -I$root/include/torch/csrc/api/include"
	export CGO_LDFLAGS="$link"
ENV
echo "libtorch of $root, for $device: . $dir/env.sh && go build -tags libtorch ./cmd/mteval" >&2
