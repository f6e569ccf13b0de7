# SPDX-License-Identifier: MIT
# qemu-ds in a container, built in one stage and installed in the other:
#   docker build -t qemu-ds . && docker run --rm -v "$PWD:/w" qemu-ds --strict -nographic -kernel /w/test.elf
FROM debian:trixie-slim AS build
COPY . /src
WORKDIR /src
RUN apt-get update && ./bootstrap --model && make install-model DESTDIR=/installed

FROM debian:trixie-slim
COPY --from=build /installed /
ENTRYPOINT ["qemu-ds"]
