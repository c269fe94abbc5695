import { expect, test } from 'vitest'
import list from '../../src/authentication/methods/password/common-passwords.json' with { type: 'json' }
import { isCommonPassword } from '../../src/authentication/methods/password/common-passwords.ts'

const words = ['ann.example@acme-corp.com', 'Ann Example']

test('the list of common passwords has at least 3000 passwords of allowed length, each once', () => {
  const all = list.words.split(' ')
  expect(all.length).toBeGreaterThanOrEqual(3000)
  expect(new Set(all).size).toBe(all.length)
  expect(all.filter((word) => word.length < 8 || word !== word.toLowerCase())).toEqual([])
  expect(list.license).toContain('MIT')
})

test.each([
  ...['password', 'PassWord', 'Password123!', '!!Password', 'qwertyuiop', '1234567890', 'iloveyou', 'superman2024'],
  ...['gatehouse', 'Gatehouse1!', 'gatehouse-admin', 'admin-admin-1'],
  ...['ann.example@acme-corp.com', 'ann.example1', 'acme-corp', 'Acme-Corp-2026', 'Ann Example', 'example-12'],
])('the password %s is refused as too common', async (password) => {
  expect(await isCommonPassword(password, words)).toBe(true)
})

test.each([
  'correct horse battery',
  'a long and uncommon one',
  'gatehouse likes purple tea',
  'exampled-otter-94',
  'пароль-и-ещё-слово',
  'w8Fz-kQ2m-9xTt',
])('the password %s is not too common', async (password) => {
  expect(await isCommonPassword(password, words)).toBe(false)
})
