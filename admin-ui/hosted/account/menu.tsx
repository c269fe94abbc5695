import { useState } from 'react'
import { roleContract } from '../../../src/identity/roles/contract.ts'
import type { Settings } from '../../shared/api.ts'
import { errorMessages } from '../../shared/error-messages.ts'
import { Icon } from '../../shared/icons.tsx'
import { useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { holdRedirect } from '../social/redirect.ts'
import { useAccount } from './context.ts'
import type { CurrentSection, SectionName } from './navigation.tsx'
import { AccountLink, overviewPath, sectionRoutes } from './navigation.tsx'

/** The sections of the account area, without those that the operator has disabled. */
export const enabledSections = (settings: Settings): readonly SectionName[] => {
  const disabled = {
    delete: !settings.deleteUserEnabled,
    organizations: !settings.organizationsEnabled,
    password: !settings.emailPasswordEnabled,
  }
  return (Object.keys(sectionRoutes) as SectionName[]).filter(
    (name) => !(name in disabled && disabled[name as keyof typeof disabled]),
  )
}

const SignOut = () => {
  const { api } = useHosted()
  const i18n = useI18n()
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const signOut = async () => {
    setPending(true)
    setProblem(undefined)
    try {
      await api.sessions.signOut()
      holdRedirect()
      location.assign('/sign-in')
    } catch (error) {
      setProblem(errorMessages(error, [], api.retryAfterSeconds(), i18n).form?.text)
      setPending(false)
    }
  }
  return (
    <div className="sign-out">
      <Button kind="secondary" icon="signOut" working={pending} onClick={() => void signOut()}>
        {i18n.t('account.signOut')}
      </Button>
      <div role="alert">{problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}</div>
    </div>
  )
}

/**
 * A link to the console. It is shown to people with instance permissions, and to people who will have instance permissions after giving a
 * second factor.
 */
const ConsoleLink = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { value } = useLoader(() => api.of(roleContract).readAccess())
  if (value === undefined || (value.permissions.length === 0 && !value.lacksSecondFactor)) return null
  return (
    <li>
      <a href="/admin" className="menu-item">
        <Icon name="terminal" />
        <span className="menu-text">
          <span className="menu-title">{t('account.console')}</span>
          <span className="menu-hint">{t('account.console.hint')}</span>
        </span>
        <Icon name="next" size={16} />
      </a>
    </li>
  )
}

/** The menu of sections. On small screens it is a list, on large screens a column at the side. */
export const AccountMenu = ({ current }: { readonly current: CurrentSection }) => {
  const { t } = useI18n()
  const { settings, user } = useAccount()
  return (
    <div className="account-nav">
      <nav aria-label={t('account.sections')}>
        <ul className="menu">
          <li className="menu-overview">
            <AccountLink path={overviewPath} className="menu-item" isCurrent={current === 'overview'}>
              <Icon name="home" />
              <span className="menu-title">{t('account.overview')}</span>
            </AccountLink>
          </li>
          {enabledSections(settings)
            .filter((name) => name !== 'delete')
            .map((name) => {
              const { path, icon, title, hint } = sectionRoutes[name]
              return (
                <li key={name}>
                  <AccountLink
                    path={path}
                    className="menu-item"
                    isCurrent={current === name || (current === 'delete' && name === 'profile')}
                  >
                    <Icon name={icon} />
                    <span className="menu-text">
                      <span className="menu-title">{t(title)}</span>
                      <span className="menu-hint">{t(hint)}</span>
                    </span>
                    <Icon name="next" size={16} />
                  </AccountLink>
                </li>
              )
            })}
          {user.role === 'user' ? null : <ConsoleLink />}
        </ul>
      </nav>
      <SignOut />
    </div>
  )
}
