import { useEffect } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Impersonation } from './impersonation.tsx'

/** For people whose roles give nothing here: says so, and who may. */
export const NoAccess = () => {
  const { t, list } = useI18n()
  const { api, access, site } = useConsole()
  useEffect(() => {
    document.title = `${t('console.noAccess.title')} · ${site}`
  }, [t, site])
  const changeAccount = async () => {
    await api.hosted.sessions.signOut().catch(() => undefined)
    location.assign(`/sign-in?${new URLSearchParams({ callbackURL: location.pathname + location.search })}`)
  }
  return (
    <div className="outside">
      <Impersonation />
      <main className="outside-card">
        <Icon name="lock" size={28} />
        <h1>{t('console.noAccess.title')}</h1>
        <p>
          <Text
            id="console.noAccess.text"
            values={{ email: <strong className="break">{access.user.email}</strong>, role: <code>{access.user.role}</code> }}
          />
        </p>
        <p>
          {access.lacksSecondFactor
            ? t('console.noAccess.factor')
            : t('console.noAccess.who', { roles: list(access.roles.map(({ name }) => name)) })}
        </p>
        <div className="outside-actions">
          {access.lacksSecondFactor ? (
            <LinkButton href="/account/linked?enrol">{t('console.noAccess.toFactor')}</LinkButton>
          ) : null}
          <LinkButton kind="secondary" href="/account">
            {t('console.noAccess.account')}
          </LinkButton>
          <Button kind="secondary" onClick={() => void changeAccount()}>
            {t('console.noAccess.other')}
          </Button>
        </div>
      </main>
    </div>
  )
}
