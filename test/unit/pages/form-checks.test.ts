import { expect, test } from 'vitest'
import { emailError } from '../../../admin-ui/shared/checks.ts'
import { loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { locales } from '../../../src/core/locale.ts'

const i18n = await loadI18n('en', [])

test('a form refuses an email address whose domain has no dot', () => {
  for (const address of ['ada@example', 'ada@', 'ada', 'ada@example.', 'a b@example.com', 'ada@@example.com'])
    expect([address, emailError(address, i18n)]).toEqual([address, i18n.t('problem.emailInvalid')])
  for (const address of ['ada@example.com', ' ada@example.co.uk ', 'ada@müller.example', 'root@localhost'])
    expect([address, emailError(address, i18n)]).toEqual([address, undefined])
})

test('one seat and one member are counted in the singular in every language that has a singular', async () => {
  for (const locale of locales) {
    const { t } = await loadI18n(locale, [], ['organizations'])
    const said = (count: number) =>
      [t('seats.taken', { count, seats: 5 }), t('seats.members', { count }), t('seats.invitations', { count })].map((text) =>
        text.replaceAll(/\d/g, ''),
      )
    const [one, two] = [said(1), said(2)]
    const isSame = one.map((text, index) => text === two[index])
    // Turkish has no plural after a number.
    expect([locale, ...isSame]).toEqual([locale, ...(locale === 'tr' ? [true, true, true] : [false, false, false])])
  }
})
