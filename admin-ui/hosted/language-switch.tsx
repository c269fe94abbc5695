import { languageCodes, pickLocale } from '../../src/core/locale.ts'
import { rememberLanguage } from '../shared/chosen-language.ts'
import { Icon } from '../shared/icons.tsx'
import { languageNames } from '../shared/language.ts'
import { useI18n, useSwitchLanguage } from '../shared/text.tsx'
import { useHosted } from './context.tsx'

/** The choice of a language in the footer of every page. The browser stores the choice. If somebody is signed in, the account stores it, too. */
export const LanguageSwitch = () => {
  const { api, resources, query, isSessionKnown } = useHosted()
  const { t, locale } = useI18n()
  const switchTo = useSwitchLanguage()

  const choose = async (tag: string) => {
    const next = pickLocale([tag])
    if (next === undefined) return
    rememberLanguage(next)
    // Links between pages pass `ui_locales` on, so the parameter has to name the new language.
    if (query.has('ui_locales')) query.set('ui_locales', next)
    await switchTo(next)
    const session = isSessionKnown ? await resources.session() : null
    if (session === null) return
    const { profileContract } = await import('../../src/identity/users/profile/contract.ts')
    await api.of(profileContract).updateUser({ body: { language: languageCodes[next] } })
  }
  return (
    <span className="language">
      <Icon name="globe" size={16} />
      <select
        className="language-select"
        aria-label={t('common.language')}
        value={locale}
        onChange={({ currentTarget }) => {
          // The page already shows the new language, so no error is shown if the account could not store it.
          choose(currentTarget.value).catch(() => undefined)
        }}
      >
        {languageNames.map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </span>
  )
}
