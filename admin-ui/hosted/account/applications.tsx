import { useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { connectedContract } from '../../../src/oidc/connected/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { AppTile, Button } from '../../shared/ui.tsx'
import { GrantedScopes } from '../consent/granted.tsx'
import { useHosted } from '../context.tsx'
import { Confirm } from './confirm.tsx'
import { EmptyState } from './empty-state.tsx'
import { OutcomeNotice, useAction, useOutcome } from './outcome.tsx'
import { Panel, Section } from './section.tsx'
import '../more.css'

type Application = Answer<WireApi<typeof connectedContract>['listConnectedApplications']>['applications'][number]

interface ApplicationProps {
  readonly application: Application
  readonly working: boolean
  readonly onRemove: () => void
}

const ConnectedApplication = ({ application, working, onRemove }: ApplicationProps) => {
  const { t, ago, date, list } = useI18n()
  const { name, logo, uri, openUri, scopes, organizations, apis, actsThrough, asksForConsent, connectedAt, lastUsedAt } =
    application
  const address = openUri ?? uri
  const details = [
    ...(lastUsedAt === null ? [] : [t('devices.used', { when: ago(lastUsedAt, new Date()) })]),
    t('applications.since', { date: date(connectedAt) }),
  ]
  return (
    <li className="row row-application">
      <AppTile name={name} logo={logo} />
      <span className="row-text">
        <span className="row-title">{name}</span>
        {address === null ? null : (
          <span className="row-detail">
            <a className="break" href={address} target="_blank" rel="noopener noreferrer">
              {new URL(uri ?? address).host}
            </a>
          </span>
        )}
        <span className="row-detail">
          {details.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </span>
        {organizations.length === 0 ? null : (
          <span className="row-detail">
            {t('applications.for', { organizations: list(organizations.map((organization) => organization.name)) })}
          </span>
        )}
        {actsThrough.length === 0 ? null : (
          <span className="row-detail">
            {t('applications.actsThrough', { applications: list(actsThrough.map((through) => through.name)) })}
          </span>
        )}
        {apis.map(({ identifier, name: api, scopes: allowed }) => (
          <span className="row-detail break" key={identifier}>
            {`${api}: ${list(allowed)}`}
          </span>
        ))}
        {asksForConsent || actsThrough.length > 0 ? null : <span className="row-detail">{t('applications.trusted')}</span>}
        <GrantedScopes scopes={scopes} label={t('applications.may', { application: name })} />
      </span>
      <span className="row-actions">
        <Button kind="secondary" working={working} name={t('applications.removeName', { application: name })} onClick={onRemove}>
          {t('applications.remove')}
        </Button>
      </span>
    </li>
  )
}

const removalOf = ({ actsThrough, asksForConsent }: Application) => {
  if (actsThrough.length > 0) return 'applications.removeTextActs'
  return asksForConsent ? 'applications.removeText' : 'applications.removeTextTrusted'
}

/** The section with the applications that have access to the account. */
export const ApplicationsSection = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const connected = useLoader(() => api.of(connectedContract).listConnectedApplications())
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const [asking, setAsking] = useState<Application>()
  const remove = ({ clientId, name }: Application) => {
    setAsking(undefined)
    run(
      clientId,
      async () => {
        await api
          .of(connectedContract)
          .removeConnectedApplication({ body: { clientId } })
          .finally(() => connected.reload())
      },
      t('applications.removed', { application: name }),
    )
  }
  return (
    <Section title={t('account.applications')} lead={t('applications.lead')}>
      <OutcomeNotice of={outcome} />
      <Panel>
        <Loaded of={connected} rows={2}>
          {({ applications }) =>
            applications.length === 0 ? (
              <EmptyState icon="apps" title={t('applications.none.title')} text={t('applications.none.text')} />
            ) : (
              <ul className="rows">
                {applications.map((application) => (
                  <ConnectedApplication
                    key={application.clientId}
                    application={application}
                    working={busy === application.clientId}
                    onRemove={() => setAsking(application)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
      {asking === undefined ? null : (
        <Confirm
          title={t('applications.removeTitle', { application: asking.name })}
          text={t(removalOf(asking))}
          action={t('applications.remove')}
          onConfirm={() => remove(asking)}
          onCancel={() => setAsking(undefined)}
        />
      )}
    </Section>
  )
}
