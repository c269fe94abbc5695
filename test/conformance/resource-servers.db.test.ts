/**
 * APIs in Express, Go and Spring verify a token with only the address of this server (docs/how-to/apis.md). Runs in `npm run test:full`,
 * which has access to the registries. Tools that the machine lacks are skipped by name.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../src/access/principal.ts'
import { type Application, codeFor, redeem, register } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'
import type { Client as Browser } from '../support/client.ts'
import { freePort } from '../support/port.ts'
import { installFromNpm, packageCache, requireTool, runTool } from '../support/test-packages.ts'

const slow = { timeout: 600_000 }
const audience = 'https://orders.example'
const nodePackages = { express: '5.3.0', 'express-oauth2-jwt-bearer': '1.10.0' } as const
const goVersion = 'v3.21.0'
const springVersion = '3.5.6'

let t: TestApp
let ann: Browser
let shop: Application
const running: ChildProcess[] = []
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  ann = await t.signedIn('ann@example.com')
  shop = await register(t, { skipConsent: true })
  for (const identifier of [audience, 'https://other.example'])
    await t.app.oidc.apis.create(systemPrincipal('test'), {
      ...{ identifier, name: 'Orders', tokenFormat: 'jwt', signingAlg: 'RS256', tokenTtlSeconds: 600, access: 'listed' },
      scopes: ['orders:read', 'orders:write'].map((name) => ({
        name,
        description: name,
        translations: {},
        permission: null,
        roles: [],
      })),
      clients: [{ clientId: shop.clientId, scopes: null, exchangeFrom: [], mayImpersonate: false }],
    })
})
afterAll(async () => {
  for (const process of running) process.kill('SIGKILL')
  await t.stop()
})

const tokensFor = async (resource: string, scope: string) =>
  (await redeem(t, shop, await codeFor(ann, shop, { resource, scope }))).json

/** Starts an API that listens on the port of `PORT`, and waits until it answers. */
const start = async (program: string, args: readonly string[], cwd: string): Promise<string> => {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), ISSUER: t.url, AUDIENCE: audience }
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (said += bytes))
  const address = `http://127.0.0.1:${port}/orders`
  const answers = () =>
    fetch(address).then(
      ({ status }) => status,
      () => (child.exitCode === null ? 'nothing yet' : `ended: ${said.slice(-2000)}`),
    )
  await expect.poll(answers, { timeout: 120_000, interval: 200 }).toBe(401)
  return address
}

/** The expected answers of every API, in whatever language. */
const expectChecks = async (address: string) => {
  const ask = async (token: unknown) => {
    const answer = await fetch(address, { headers: { authorization: `Bearer ${String(token)}` } })
    return [answer.status, answer.status === 200 ? await answer.text() : '']
  }
  const right = await tokensFor(audience, 'openid orders:read')
  expect(await ask(right['access_token'])).toEqual([200, (await ann.api.sessions.getSession())?.user.id])
  expect(await ask((await tokensFor(audience, 'openid orders:write'))['access_token'])).toEqual([403, ''])
  const [header = '', body = '', signature = ''] = String(right['access_token']).split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const wrong of [
    (await tokensFor('https://other.example', 'openid orders:read'))['access_token'],
    right['id_token'],
    'nonsense',
    `${header}.${encode({ ...claims, sub: 'somebody' })}.${signature}`,
    `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
  ])
    expect(await ask(wrong)).toEqual([401, ''])
}

const written = (name: string, files: Readonly<Record<string, string>>): string => {
  const directory = join(packageCache, name)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(directory, path, '..'), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
  return directory
}

test('an API in Express checks tokens with express-oauth2-jwt-bearer and the address of this server', slow, async (context) => {
  const directory = await requireTool(context, 'express-oauth2-jwt-bearer', () => installFromNpm('express-api', nodePackages))
  written('express-api', {
    'api.mjs': `import express from 'express'
import { auth, requiredScopes } from 'express-oauth2-jwt-bearer'
const app = express()
app.use(auth({ issuerBaseURL: process.env.ISSUER, audience: process.env.AUDIENCE, strict: true }))
app.get('/orders', requiredScopes('orders:read'), (req, res) => res.send(req.auth.payload.sub))
app.use((error, _req, res, _next) => res.status(error.status ?? 500).end())
app.listen(Number(process.env.PORT), '127.0.0.1')
`,
  })
  await expectChecks(await start(process.execPath, ['api.mjs'], directory))
})

test('an API in Go checks tokens with go-oidc and the address of this server', slow, async (context) => {
  const directory = written('go-api', {
    'go.mod': `module example.com/api\n\ngo 1.24\n\nrequire github.com/coreos/go-oidc/v3 ${goVersion}\n`,
    'main.go': `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

func main() {
	provider, err := oidc.NewProvider(context.Background(), os.Getenv("ISSUER"))
	if err != nil {
		panic(err)
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: os.Getenv("AUDIENCE")})
	http.HandleFunc("/orders", func(w http.ResponseWriter, r *http.Request) {
		token, err := verifier.Verify(r.Context(), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if err != nil {
			w.WriteHeader(401)
			return
		}
		var claims struct{ Scope string }
		if err := token.Claims(&claims); err != nil || !slices.Contains(strings.Fields(claims.Scope), "orders:read") {
			w.WriteHeader(403)
			return
		}
		fmt.Fprint(w, token.Subject)
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
`,
  })
  await requireTool(context, 'Go with github.com/coreos/go-oidc', async () => {
    await runTool('go', ['mod', 'tidy'], directory)
    await runTool('go', ['build', '-o', 'api', '.'], directory)
  })
  await expectChecks(await start(join(directory, 'api'), [], directory))
})

test('an API in Spring checks tokens with its resource server and the address of this server', slow, async (context) => {
  const directory = written('spring-api', {
    'pom.xml': `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>${springVersion}</version>
  </parent>
  <groupId>com.example</groupId>
  <artifactId>api</artifactId>
  <version>1</version>
  <properties><java.version>17</java.version></properties>
  <dependencies>
    <dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-web</artifactId></dependency>
    <dependency>
      <groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-oauth2-resource-server</artifactId>
    </dependency>
  </dependencies>
  <build><plugins><plugin>
    <groupId>org.springframework.boot</groupId><artifactId>spring-boot-maven-plugin</artifactId>
  </plugin></plugins></build>
</project>
`,
    'src/main/java/com/example/Api.java': `package com.example;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.oauth2.jwt.*;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.*;

@SpringBootApplication
@EnableMethodSecurity
@RestController
public class Api {
  @Bean
  JwtDecoder decoder() {
    String issuer = System.getenv("ISSUER");
    NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
    decoder.setJwtValidator(JwtValidators.createDefaultWithValidators(new JwtIssuerValidator(issuer),
        new JwtAudienceValidator(System.getenv("AUDIENCE")), new JwtTypeValidator("at+jwt")));
    return decoder;
  }

  @GetMapping("/orders")
  @PreAuthorize("hasAuthority('SCOPE_orders:read')")
  String orders(@AuthenticationPrincipal Jwt token) {
    return token.getSubject();
  }

  public static void main(String[] args) {
    SpringApplication.run(Api.class, args);
  }
}
`,
    'src/main/resources/application.yaml': 'server: { port: "${PORT}", address: 127.0.0.1 }\n',
  })
  await requireTool(context, 'Java with Maven and Spring Boot', () =>
    runTool('mvn', ['-q', '-B', '-DskipTests', 'package'], directory),
  )
  await expectChecks(await start('java', ['-jar', 'target/api-1.jar'], directory))
})
