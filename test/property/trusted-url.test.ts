import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTrustedUrls } from '../../src/http/trusted-url.ts'
import { runs } from '../support/runs.ts'

const own = 'https://id.example'
const trusted = createTrustedUrls(own, ['https://app.example', '*.wild.example', 'https://*.tls.example:8443', 'myapp://'])

test('paths of this server and configured origins are trusted', () => {
  for (const good of [
    '/',
    '/a/b?c=d#e',
    '/a%20b',
    'https://id.example/x',
    'https://app.example/',
    'https://a.b.wild.example/x',
    'http://a.wild.example',
    'https://x.tls.example:8443/',
    'myapp://callback',
  ])
    expect(trusted.check(good), good).toBeDefined()
})

test('foreign addresses, and addresses that parsers read differently, are not trusted', () => {
  for (const bad of [
    '',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/%2fevil.example',
    '/%5cevil.example',
    '/\t/evil.example',
    'https:evil.example',
    'https://evil.example',
    'https://id.example@evil.example',
    'https://id.example.evil.example',
    'https://user:pw@id.example',
    'https://user@id.example',
    'https://:pw@id.example',
    'https://:pw@a.wild.example/x',
    'myapp://:pw@callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://wild.example.evil.example',
    'https://evilwild.example',
    'http://x.tls.example:8443/',
    'https://x.tls.example/',
    'http://id.example/',
    ' /x',
    '/x\r\nSet-Cookie: a=b',
    'relative',
    '?x',
    '#x',
    'https://id.example:444/',
    'HTTPS://',
    'blob:https://id.example/x',
    'BLOB:https://app.example/x',
    'filesystem:https://id.example/temporary/x',
    'view-source:https://id.example/',
    'blob:https://a.wild.example/x',
  ])
    expect(trusted.check(bad), JSON.stringify(bad)).toBeUndefined()
})

test('an accepted path stays on the origin of the server and never begins with two slashes', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('/', '\\', '.', '%', '2', 'f', 'F', '5', 'c', ':', '@', 'a', '?', '#', '\t', '\n', '\u00a0', '／', 'é'),
  })
  fc.assert(
    fc.property(nasty, (tail) => {
      const accepted = trusted.check(`/${tail}`)
      if (accepted === undefined) return
      expect(accepted).not.toMatch(/^\/[/\\]/)
      expect(new URL(accepted, own).origin).toBe(own)
      expect(trusted.check(accepted)).toBe(accepted)
    }),
    { numRuns: 100 * runs },
  )
})

test('an accepted absolute URL has a trusted host and no user or password', () => {
  const hosts = fc.constantFrom(
    'id.example',
    'evil.example',
    'app.example',
    'x.wild.example',
    'wild.example.evil.example',
    'id.example.evil.example',
  )
  fc.assert(
    fc.property(
      fc.constantFrom(
        'https://',
        'http://',
        'HTTPS://',
        'https:/',
        'ftp://',
        'blob:https://',
        'filesystem:https://',
        'blob:blob:http://',
      ),
      fc.constantFrom('', 'u@', ':p@', 'id.example@'),
      hosts,
      fc.webPath(),
      (scheme, user, host, path) => {
        const accepted = trusted.check(`${scheme}${user}${host}${path}`)
        if (accepted === undefined) return
        const url = new URL(accepted)
        expect(url.protocol).toMatch(/^https?:$/)
        expect(url.username).toBe('')
        expect(['id.example', 'app.example', 'x.wild.example']).toContain(url.hostname)
      },
    ),
    { numRuns: 100 * runs },
  )
})

test('a configured origin matches exactly or by a wildcard label, and the origin null never matches', () => {
  expect(trusted.isTrustedOrigin('https://id.example')).toBe(true)
  expect(trusted.isTrustedOrigin('https://a.wild.example')).toBe(true)
  for (const bad of [
    'null',
    '',
    'blob:https://id.example/x',
    'https://id.example.evil.example',
    'http://id.example',
    'https://wild.example.evil',
  ])
    expect(trusted.isTrustedOrigin(bad), bad).toBe(false)
})
