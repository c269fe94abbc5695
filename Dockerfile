# Built in the full image, which has what the SQLite driver needs when no prebuilt binary fits; run in the slim one, which has no compiler.
FROM node:24 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Pruned, not installed again: a second installation would compile the SQLite driver once more.
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production \
    GATEHOUSE_HOST=0.0.0.0 \
    PORT=3000 \
    GATEHOUSE_DATA_DIR=/data \
    MALLOC_ARENA_MAX=2
WORKDIR /app
# Owned by root: the running program can change only /data.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/admin-ui/dist admin-ui/dist
COPY --from=build /app/bin/gatehouse.js /app/bin/precompile.js bin/
# A container has nothing of an earlier start: it finds the compiled program here. By this image's Node, whose version the code belongs to.
RUN node bin/precompile.js
# OpenShift gives each container another user, of the group root.
RUN ln -s /app/bin/gatehouse.js /usr/local/bin/gatehouse && install -d -o node -g root -m 0770 /data
# The user node by its number: `runAsNonRoot` of Kubernetes refuses a name.
USER 1000:1000
VOLUME /data
EXPOSE 3000
# The port is read from the variables as the program reads them: one that is empty, or a link of a service, is as if it were not set.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "const port = [process.env.GATEHOUSE_PORT, process.env.PORT].map((text) => /^\\s*(['\\x22]?)(\\d+)\\1\\s*$/.exec(text)?.[2]).find(Boolean); fetch('http://127.0.0.1:' + port + '/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# A small young generation, a heap that is collected when it has doubled, few arenas of the allocator (above), requests that do not get into old memory, and memory of the start given back: far less memory for no measurable time.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=100", "--no-allocation-site-pretenuring", "--expose-gc", "--no-flush-bytecode", "/app/bin/gatehouse.js"]
CMD ["serve"]
