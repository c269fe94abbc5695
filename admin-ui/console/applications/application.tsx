import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from 'react-router'
import { ApiError } from '../../../src/http/client.ts'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { Text, useI18n } from '../../shared/text.tsx'
import { AppTile, Notice } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Failure } from '../shared/failure.tsx'
import { LogoutNotices } from '../shared/logout-notices.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { Time } from '../shared/time.tsx'
import { NotFound } from '../shell/not-found.tsx'
import { ApplicationActions } from './actions.tsx'
import { AddressesPanel } from './panels/addresses.tsx'
import { ClaimsPanel } from './panels/claims.tsx'
import { HistoryPanel } from './panels/history.tsx'
import { PeoplePanel } from './panels/people.tsx'
import { ProtocolPanel } from './panels/protocol.tsx'
import { RefusalsPanel } from './panels/refusals.tsx'
import { RegistrationPanel } from './panels/registration.tsx'
import { ScopesPanel } from './panels/scopes.tsx'
import { SecretsPanel } from './panels/secrets.tsx'
import { SettingsPanel } from './panels/settings.tsx'
import type { Application, ListedApplication } from './parts.tsx'
import { keepsSecret } from './parts.tsx'
import { newApplicationPath } from './paths.ts'

/** How long after a sign-in without PKCE the page advises to require PKCE, in milliseconds. */
const adviceMs = 7 * 86_400_000

/** Advice to require PKCE, shown for an application with a recent sign-in without PKCE. */
const PkceAdvice = ({ pkce, withoutPkceAt: at }: Application) =>
  pkce === 'required' || at === null || Date.now() - Date.parse(at) > adviceMs ? null : (
    <Notice tone="wait">
      <Text id="clients.pkceAdvice" values={{ time: <Time at={at} /> }} />
    </Notice>
  )

const Screen = ({ application }: { readonly application: ListedApplication }) => {
  const { t } = useI18n()
  const { clientId, name, type, disabled, logo } = application
  const signsIn = type !== 'machine'
  return (
    <Page
      title={name}
      lead={t(`clients.kind.${type}`)}
      mark={<AppTile name={name} logo={logo} />}
      back={{ to: '/admin/clients', text: t('clients.title') }}
      actions={<ApplicationActions application={application} />}
    >
      {disabled ? <Notice tone="wait">{t('clients.disabledNotice')}</Notice> : null}
      <PkceAdvice {...application} />
      <RefusalsPanel application={application} />
      <div className="columns">
        <div className="column">
          <SettingsPanel application={application} />
          {signsIn ? <AddressesPanel application={application} /> : null}
          <ProtocolPanel application={application} />
          <RegistrationPanel application={application} />
        </div>
        <div className="column">
          {keepsSecret(type) && application.authMethod !== 'private_key_jwt' ? <SecretsPanel application={application} /> : null}
          <ScopesPanel application={application} />
        </div>
      </div>
      {signsIn ? <PeoplePanel application={application} /> : null}
      {signsIn ? <ClaimsPanel application={application} /> : null}
      {application.backchannelLogoutUri === null ? null : <LogoutNotices of={{ clientId }} />}
      <HistoryPanel clientId={clientId} />
    </Page>
  )
}

/** The screen of an application: its data, redirect URIs, secrets, consents and history. */
export const ApplicationScreen = () => {
  const { api } = useConsole()
  const { clientId = '' } = useParams()
  const { data, error, refetch } = useQuery({
    ...api.query(applicationContract, 'getApplication', { params: { clientId } }),
    // ETags are stored by the identity of the response object, so the object must not be replaced by a merged copy.
    structuralSharing: false,
  })
  // The address might be a guess for the form "new application", but an application can have an id that looks like the guess. The form is
  // therefore shown only if no such application exists.
  if (error instanceof ApiError && error.status === 404)
    return clientId === 'new' ? <Navigate to={newApplicationPath} replace /> : <NotFound />
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return <Screen key={clientId} application={data} />
}
