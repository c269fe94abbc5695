import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { deviceOf, isHandheld, programOf } from '../../../admin-ui/hosted/account/device.ts'
import { placeOf } from '../../../admin-ui/hosted/account/places.tsx'
import { afterVerification, destinationOf, goTo, onwardFrom, pageUrl } from '../../../admin-ui/hosted/continuation.ts'
import { wordsOf } from '../../../admin-ui/hosted/error/codes.ts'
import { spotOf } from '../../../admin-ui/hosted/organizations/spots.ts'
import { isSlug, parseAddresses, slugOf } from '../../../admin-ui/hosted/organizations/words.ts'
import { forgetToken, takeKeptToken, takeToken } from '../../../admin-ui/hosted/token.ts'
import { deviceOf as serverDeviceOf } from '../../../src/sessions/rules.ts'

const origin = 'https://auth.example.com'
const query = (text: string) => new URLSearchParams(text)
const assign = vi.fn()

beforeAll(() => void vi.stubGlobal('location', { origin, assign }))
afterAll(() => void vi.unstubAllGlobals())
beforeEach(() => assign.mockClear())

describe('where a person is going', () => {
  test('an application’s sign-in goes before a page, a page before the account', () => {
    expect(destinationOf(query('interaction=u1&callbackURL=/a'))).toBe('/interaction/u1')
    expect(destinationOf(query('callbackURL=/a'))).toBe('/a')
    expect(destinationOf(query('callbackURL='))).toBe('/account')
  })

  test('is kept from page to page, and nothing else is', () => {
    expect(pageUrl('/sign-up', query('interaction=u1&ui_locales=de&token=secret'))).toBe('/sign-up?interaction=u1&ui_locales=de')
    expect(pageUrl('/sign-in', query('x=1'))).toBe('/sign-in')
  })

  test('a mailed link comes to our page when it goes on here, and straight to pages elsewhere', () => {
    expect(afterVerification(query('interaction=u1'))).toBe('/verified?interaction=u1')
    expect(afterVerification(query(''))).toBe('/verified')
    expect(afterVerification(query('callbackURL=https://app.example.com/x'))).toBe('https://app.example.com/x')
  })

  test.each(['https://evil.example/', '//evil.example', 'javascript:alert(1)', 'data:text/html,x', '/\\evil.example'])(
    'our pages never link to what the server has not vetted: %s',
    (callbackURL) => {
      const onward = new URL(onwardFrom(new URLSearchParams({ callbackURL })), origin)
      expect(onward.origin).toBe(origin)
      expect(onward.pathname).toBe('/sign-in')
    },
  )

  test('is never an address that runs something', () => {
    for (const address of ['javascript:alert(1)', 'data:text/html,x', 'blob:https://auth.example.com/1', 'file:///etc/passwd'])
      expect(() => goTo(address)).toThrow()
    goTo('/account')
    expect(String(assign.mock.lastCall?.[0])).toBe(`${origin}/account`)
  })
})

test('a token leaves the address bar and survives a reload', () => {
  const history = {
    state: null as unknown,
    replaceState: vi.fn((state: unknown) => void Object.assign(history, { state })),
  }
  vi.stubGlobal('history', history)
  expect(takeToken('/reset-password', query('token=secret&interaction=u1'))).toBe('secret')
  expect(history.replaceState).toHaveBeenCalledWith({ token: 'secret' }, '', '/reset-password?interaction=u1')
  expect(takeToken('/reset-password', query('interaction=u1'))).toBe('secret')
  history.state = { other: 1 }
  expect(takeToken('/reset-password', query(''))).toBeUndefined()
})

test('a token whose page is come back to is kept for this tab, until it is used up', () => {
  const history = { state: null as unknown, replaceState: vi.fn() }
  const kept = new Map<string, string>()
  vi.stubGlobal('history', history)
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  })
  expect(takeKeptToken('/invitation/1', query('token=secret'), 'invitation.1')).toBe('secret')
  expect(takeKeptToken('/invitation/1', query(''), 'invitation.1')).toBe('secret')
  expect(takeKeptToken('/invitation/2', query(''), 'invitation.2')).toBeUndefined()
  forgetToken('invitation.1')
  expect(takeKeptToken('/invitation/1', query(''), 'invitation.1')).toBeUndefined()
  vi.stubGlobal('sessionStorage', undefined)
  expect(takeKeptToken('/invitation/1', query('token=secret'), 'invitation.1')).toBe('secret')
})

test('sections have addresses of their own', () => {
  expect([placeOf('/account'), placeOf('/account/'), placeOf('/account/devices')]).toEqual(['overview', 'overview', 'devices'])
  expect(placeOf('/account/nonsense')).toBeUndefined()
  expect(placeOf('/account/devices/more')).toBeUndefined()
  expect(placeOf('/account/organizations/acme/members')).toBe('organizations')
})

test.each([
  ['/account/organizations', { at: 'list' }],
  ['/account/organizations/', { at: 'list' }],
  ['/account/organizations/new', { at: 'new' }],
  ['/account/organizations/acme', { at: 'organization', slug: 'acme', tab: 'overview' }],
  ['/account/organizations/acme/teams/t1', { at: 'organization', slug: 'acme', tab: 'teams', teamId: 't1' }],
  ['/account/organizations/new/members', undefined],
  ['/account/organizations/acme/nonsense', undefined],
  ['/account/organizations/acme/members/m1', undefined],
  ['/account/organizations/acme/teams/t1/more', undefined],
  ['/account/organizations/%zz', { at: 'organization', slug: '%zz', tab: 'overview' }],
])('a path below the organizations: %s', (path, spot) => expect(spotOf(path)).toEqual(spot))

test('addresses are read as they are pasted', () => {
  const pasted =
    'Ann Example <Ann@Example.com>, "Bob, the" <bob@example.com>;\ncleo@example.com dan@example.com\n\nann@example.com'
  expect(parseAddresses(pasted)).toEqual([...['ann@example.com', 'bob@example.com', 'cleo@example.com', 'dan@example.com']])
  expect(parseAddresses(' ,;\n ')).toEqual([])
  expect(parseAddresses('not an address')).toEqual(['not', 'an', 'address'])
})

test.each([
  ['Acme Corporation', 'acme-corporation'],
  ['  Größe & Łódź ', 'grosse-lodz'],
  ['Щука і Їжак', 'shchuka-i-izhak'],
  ['İstanbul Çağrı', 'istanbul-cagri'],
  ['日本', ''],
  ['x'.repeat(100), 'x'.repeat(64)],
])('a short name is proposed for %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
  expect(isSlug(slug)).toBe(slug !== '')
})

describe('devices', () => {
  const agents = {
    firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    iphone:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    edge: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
    samsung:
      'Mozilla/5.0 (Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36',
    mac: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  }

  test.each(Object.values(agents))('are called as the server calls them: %s', (agent) => {
    const device = deviceOf(agent)
    expect(`${device?.browser} on ${device?.system}`).toBe(serverDeviceOf(agent))
  })

  test('programs are called what they call themselves, and nothing is guessed', () => {
    expect([deviceOf('curl/8.5.0'), programOf('curl/8.5.0')]).toEqual([undefined, 'curl'])
    expect([deviceOf(''), programOf('')]).toEqual([undefined, undefined])
    expect([isHandheld(agents.iphone), isHandheld(agents.samsung), isHandheld(agents.mac)]).toEqual([true, true, false])
  })
})

test('error codes find their words in any spelling; unknown ones get the general ones', () => {
  expect(wordsOf('INVALID_TOKEN')).toEqual(wordsOf('invalid token'))
  expect(wordsOf('unauthorized').title).toBe('error.otherBrowser.title')
  expect(wordsOf('account not linked').title).toBe('error.notLinked.title')
  for (const code of ['', 'nonsense', 'constructor', '__proto__']) expect(wordsOf(code).title).toBe('error.title')
})
