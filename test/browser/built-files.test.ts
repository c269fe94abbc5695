/** The built pages and console are compared with the compatibility data of MDN. No browser runs here, so this checks all engines at once. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { styleSheetOf } from '../../src/brand/rules/style-sheet.ts'
import { youngerCalls, youngerStyles } from '../support/browser-floor.ts'

const assets = fileURLToPath(new URL('../../admin-ui/dist/assets', import.meta.url))

/** Style features that may be missing: the page is as usable without them, or it checks for them itself. */
const harmlessStyles: Readonly<Record<string, string>> = {
  ':-webkit-progress-bar': 'the bar has the colours of the browser then',
  ':-webkit-progress-value': 'the same',
  ':-moz-progress-bar': 'the same',
  cursor: 'a finger has none',
  'text-wrap': 'lines break elsewhere',
  'field-sizing': 'a select is as wide as its longest value',
  'text-size-adjust': 'asked of Safari with its prefix alone',
  'forced-color-adjust': 'Safari forces no colours',
  resize: 'a finger has no handle to pull',
  'scrollbar-width': 'a scroll bar is seen',
  '-webkit-tap-highlight-color': 'for Safari and Chrome on phones',
  ':-webkit-scrollbar': 'where scrollbar-width is not known',
  '@media (scripting)': 'beside the text that asks for scripts, bones stay',
  ':has': 'frames of what is chosen, widths of forms and what is printed: the page is as usable without',
}

/** Functions that are called only where the browser has them. */
const guardedCalls: Readonly<Record<string, string>> = {
  'PublicKeyCredential.parseRequestOptionsFromJSON': 'asked for in `canFillPasskeys`',
  'PublicKeyCredential.isConditionalMediationAvailable': 'called with ?.',
  'PublicKeyCredential.getClientCapabilities': 'called with ?.',
  'Credential.isConditionalMediationAvailable': 'the same',
  'AuthenticatorAttestationResponse.getAuthenticatorData': 'asked for in @simplewebauthn/browser',
  'AuthenticatorAttestationResponse.getPublicKey': 'asked for in @simplewebauthn/browser',
  'AuthenticatorAttestationResponse.getPublicKeyAlgorithm': 'asked for in @simplewebauthn/browser',
  'AuthenticatorAttestationResponse.getTransports': 'asked for in @simplewebauthn/browser',
  'SubtleCrypto.getPublicKey': 'the same name',
  'Document.startViewTransition': 'tried by React for a transition that nothing here asks for',
  'Element.startViewTransition': 'the same',
  'RegExp.escape': 'asked for in react-router',
  'Iterator.toArray': 'React.Children has a function of this name',
  'Clipboard.readText': 'api.readText of the console',
}

const read = (pattern: string) =>
  globSync(pattern, { cwd: assets }).map((name) => [name, readFileSync(`${assets}/${name}`, 'utf8')] as const)

test('style sheets use only features of the oldest supported browsers, apart from a list of harmless features', () => {
  const brand = styleSheetOf({ color: '#0d5c4c', radius: 'round', fontUrl: '/brand/font' })
  const sheets = [...read('*.css'), ['brand', brand] as const]
  expect(sheets.length).toBeGreaterThan(5)
  const isHarmless = (name: string) => Object.keys(harmlessStyles).some((known) => name === known || name.startsWith(`${known}:`))
  const found = sheets.flatMap(([name, sheet]) =>
    youngerStyles(sheet)
      .filter((part) => !isHarmless(part))
      .map((part) => `${name}: ${part}`),
  )
  expect(found).toEqual([])
})

test('scripts call only functions of the oldest supported browsers, apart from functions whose presence is checked first', () => {
  const scripts = read('*.js')
  expect(scripts.length).toBeGreaterThan(50)
  const found = scripts.flatMap(([name, script]) =>
    youngerCalls(script)
      .filter((call) => !Object.hasOwn(guardedCalls, call))
      .map((call) => `${name}: ${call}`),
  )
  expect(found).toEqual([])
})

test('the check of built files finds functions and styles that the oldest supported browsers lack', () => {
  expect(youngerCalls('const a=URL.parse(b),c=Map.groupBy(d,e);f.union(g);h.map(i).at(-1)')).toEqual(
    expect.arrayContaining(['URL.parse', 'Map.groupBy', 'Set.union']),
  )
  expect(youngerCalls('h.map(i).at(-1);new URL(a).host;Object.hasOwn(b,c);f({...pt(g)})')).toEqual([])
  expect(youngerStyles('.a{color:light-dark(red,blue)}.b:has(.c){width:1px}@starting-style{.d{opacity:0}}')).toEqual(
    expect.arrayContaining(['light-dark()', ':has', '@starting-style']),
  )
  expect(
    youngerStyles('.a{color:#1d5c4c;width:50dvh}@supports (color:light-dark(red,blue)){.a{color:light-dark(red,blue)}}'),
  ).toEqual([])
})
