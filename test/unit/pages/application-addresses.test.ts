import { expect, test } from 'vitest'
import { originRemarks, originsOf, redirectRemarks, wordsOf } from '../../../admin-ui/console/applications/addresses.ts'
import { redirectUriProblem, webOriginProblem } from '../../../src/oidc/rules.ts'

const [production, development] = ['auth.example.com', 'localhost']
const textsOf = (address: string, host = production) =>
  redirectRemarks([address], 'web', host).map(({ text, isError }) => `${isError ? 'error' : 'caution'} ${text.split('.').at(-1)}`)

test.each([
  ['https://app.example.com/callback', []],
  ['https://*.example.com/callback', ['error wildcard']],
  ['https://app.example.com/*', ['error wildcard']],
  ['http://app.example.com/callback', ['error http']],
  ['app.example.com/callback', ['error relative']],
  ['https://app.example.com/callback#here', ['error fragment']],
  ['https://ann@app.example.com/callback', ['error credentials']],
  ['com.example.app:/callback', ['error scheme']],
  ['https://app.example.com/callback/', ['caution slash']],
  ['http://localhost:3000/callback', ['caution local']],
  ['http://localhost:3000/', ['caution local', 'caution slash']],
])('the redirect address %s gets the remarks %s', (address, remarks) => {
  expect(textsOf(address)).toEqual(remarks)
})

test('a localhost address causes no warning if the installation itself runs on localhost, or for applications that listen there', () => {
  expect(textsOf('http://localhost:3000/callback', development)).toEqual([])
  expect(redirectRemarks(['http://127.0.0.1/callback'], 'native', production)).toEqual([])
})

test('the page marks exactly the redirect addresses that the server refuses', () => {
  for (const type of ['web', 'spa', 'native'] as const)
    for (const address of [
      ...[
        'https://a.example/',
        'http://a.example/',
        'http://[::1]/x',
        'https://*.a.example',
        'https://a.example/#',
        '/callback',
        '',
      ],
      ...['com.example:/x', 'example:/x', 'javascript:x.y', `https://a.example/${'x'.repeat(2000)}`, 'https://a.example/"'],
    ]) {
      const isRefused = redirectUriProblem(address, type) !== undefined
      expect(
        redirectRemarks([address], type, production).some(({ isError }) => isError),
        `${type} ${address}`,
      ).toBe(isRefused)
    }
  for (const origin of ['https://a.example', 'https://a.example/', 'https://a.example/x', 'http://a.example', 'a.example'])
    expect(originRemarks([origin]).length > 0, origin).toBe(webOriginProblem(origin) !== undefined)
})

test('redirect addresses are separated by blanks and line breaks, each counts once, and origins are derived from them', () => {
  const addresses = wordsOf(
    ' https://a.example/one\nhttps://a.example/two  https://a.example/one\nhttps://b.example:8443/ \n nothing',
  )
  expect(addresses).toEqual(['https://a.example/one', 'https://a.example/two', 'https://b.example:8443/', 'nothing'])
  expect(originsOf(addresses)).toEqual(['https://a.example', 'https://b.example:8443'])
})
