import { Menu } from '@mantine/core'
import { pickLocale } from '../../../src/core/locale.ts'
import { rememberLanguage } from '../../shared/chosen-language.ts'
import { Icon } from '../../shared/icons.tsx'
import { languageNames } from '../../shared/language.ts'
import { useI18n, useSwitchLanguage } from '../../shared/text.tsx'
import { Avatar } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { appearances, chooseAppearance, chooseUtc, usePreferences } from '../appearance.ts'
import { settleWaiting } from '../shared/pending.ts'

const Languages = () => {
  const { t, locale } = useI18n()
  const switchTo = useSwitchLanguage()
  const choose = async (tag: string) => {
    const next = pickLocale([tag])
    if (next === undefined) return
    rememberLanguage(next)
    await switchTo(next)
  }
  return (
    <>
      <div className="menu-label" role="presentation">
        {t('console.person.language')}
      </div>
      {languageNames.map(([tag, name]) => (
        <Menu.RadioItem key={tag} lang={tag} value={tag} checked={tag === locale} onChange={() => void choose(tag)}>
          {name}
        </Menu.RadioItem>
      ))}
      <Menu.Divider />
    </>
  )
}

/** The menu of the signed-in person, with choices about the look of the console and the button to sign out. */
export const PersonMenu = () => {
  const { t } = useI18n()
  const { api, access } = useConsole()
  const { appearance, isUtc } = usePreferences()
  const { user } = access
  const signOut = async () => {
    await settleWaiting()
    // If the call fails, for example because the session has already ended, the page goes on as after a sign-out.
    await api.hosted.sessions.signOut().catch(() => undefined)
    location.assign('/sign-in')
  }
  return (
    <Menu width={240}>
      <Menu.Target>
        <button type="button" className="person-button">
          <Avatar name={user.name} />
          <span className="person-name">{user.name}</span>
          <Icon name="down" size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href="/account">
          <span className="person-who">
            <strong className="break">{user.name}</strong>
            <span className="break">{user.email}</span>
            <span>{t('console.person.account')}</span>
          </span>
        </Menu.Item>
        <Menu.Divider />
        <div className="menu-label" role="presentation">
          {t('console.theme')}
        </div>
        {appearances.map((name) => (
          <Menu.RadioItem key={name} value={name} checked={name === appearance} onChange={() => chooseAppearance(name)}>
            {t(`console.theme.${name}`)}
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        <Menu.CheckboxItem checked={isUtc} onChange={chooseUtc}>
          {t('console.utc')}
        </Menu.CheckboxItem>
        <Menu.Divider />
        <Languages />
        <Menu.Item leftSection={<Icon name="signOut" size={16} />} onClick={() => void signOut()}>
          {t('console.person.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
