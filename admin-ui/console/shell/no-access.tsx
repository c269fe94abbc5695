import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { AppTile, Badge, Button, LinkButton } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Impersonation } from './impersonation.tsx'

const organizationsPath = '/account/organizations'
/** How many organizations at most are listed. If there are more, a link leads to the rest. */
const mostShown = 5

/** The organizations that the person can manage in the account area. Renders nothing if there are none. */
const OwnOrganizations = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data = [] } = useQuery({
    ...api.query(organizationContract, 'listOrganizations', { query: { limit: String(mostShown + 1) } }),
    retry: false,
  })
  if (data.length === 0) return null
  return (
    <>
      <p>{t('console.noAccess.organizations')}</p>
      <ul className="outside-list">
        {data.slice(0, mostShown).map(({ id, name, slug, logo, role }) => (
          <li key={id}>
            <a href={`${organizationsPath}/${encodeURIComponent(slug)}`}>
              <AppTile name={name} logo={logo} />
              <span className="break">{name}</span>
              <Badge tone="plain">{role}</Badge>
            </a>
          </li>
        ))}
      </ul>
      {data.length > mostShown ? (
        <p>
          <a href={organizationsPath}>{t('console.noAccess.allOrganizations')}</a>
        </p>
      ) : null}
    </>
  )
}

/** Shown to people whose roles have no permission in the console. The page names the roles that have a permission. */
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
        <OwnOrganizations />
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
