import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { providerAdministrationContract } from '../../../src/authentication/methods/federated/administration/contract.ts'
import { settingsContract } from '../../../src/settings/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'
import { useSettingsForm } from '../settings/draft.ts'
import { SettingsPanel } from '../settings/panel.tsx'
import { ReviewDialog } from '../settings/review.tsx'
import { WithSettings } from '../settings/settings-page.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import { CopyField } from '../shared/copy-field.tsx'
import { Facts, Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { NotFound } from '../shell/not-found.tsx'
import { ProviderTestPanel } from './provider-test.tsx'
import { ProviderUsePanel } from './provider-use.tsx'
import type { Provider } from './providers.tsx'
import './ways-in.css'

const addressNames = ['issuer', 'discovery', 'authorization', 'token', 'userinfo', 'jwks'] as const

const Settings = ({ provider }: { readonly provider: Provider }) => {
  const { t } = useI18n()
  const { id, type, clientId, hasClientSecret, scopes, pkce, trustsEmail, signUpEnabled, implicitSignUp, configured } = provider
  const answer = (is: boolean) => t(is ? 'console.yes' : 'console.no')
  return (
    <Panel title={t('ways.settings')}>
      <Facts
        rows={[
          [t('ways.type'), t(`ways.type.${type}`)],
          [t('ways.clientId'), <code key="client">{clientId}</code>],
          [t('ways.clientSecret'), t(hasClientSecret ? 'ways.secretSet' : 'ways.secretUnset')],
          [t('ways.scopes'), <code key="scopes">{scopes.join(' ')}</code>],
          [t('ways.pkce'), answer(pkce)],
          [t('ways.trustsEmail'), answer(trustsEmail)],
          [t('ways.newPeople'), t(signUpEnabled ? (implicitSignUp ? 'ways.open' : 'ways.onRequest') : 'ways.closed')],
          [
            t('ways.configured'),
            configured.length === 0 ? (
              t('ways.allBuiltIn')
            ) : (
              <code key="set">{configured.map((key) => `social.${id}.${key}`).join(', ')}</code>
            ),
          ],
        ]}
      />
    </Panel>
  )
}

const Addresses = ({ provider: { addresses, redirectUri } }: { readonly provider: Provider }) => {
  const { t } = useI18n()
  return (
    <Panel title={t('ways.addresses')}>
      <div className="panel-waiting">
        <CopyField label={t('ways.callback')} value={redirectUri} />
        <p>{t('ways.callbackText')}</p>
      </div>
      <Facts
        rows={addressNames.map((name) => [
          t(`ways.address.${name}`),
          addresses[name] === null ? undefined : <code key={name}>{addresses[name]}</code>,
        ])}
      />
    </Panel>
  )
}

/** A button that disables an identity provider. Its settings and the linked accounts are kept. */
const SwitchOff = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  const navigate = useNavigate()
  const { isAllowed } = usePermission('settings:read')
  const { api } = useConsole()
  const { data: answer } = useQuery({ ...api.query(settingsContract, 'listSettings'), enabled: isAllowed })
  const [isReviewed, setIsReviewed] = useState(false)
  const setting = answer?.settings.find(({ key }) => key === `social.${id}.enabled`)
  if (answer === undefined) return null
  const blocked = setting?.isLocked === true ? t('setting.locked', { place: setting.from ?? setting.source }) : undefined
  return (
    <>
      <ActionButton permission="settings:update" blocked={blocked} onClick={() => setIsReviewed(true)}>
        {t('ways.providerOff')}
      </ActionButton>
      {isReviewed ? (
        <ReviewDialog
          answer={answer}
          draft={{ set: { [`social.${id}.enabled`]: false }, unset: [] }}
          title={t('ways.providerOffTitle')}
          onSaved={() => void navigate('/admin/providers')}
          onClose={() => setIsReviewed(false)}
        />
      ) : null}
    </>
  )
}

const ProviderFields = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  const { settings } = useSettingsForm()
  const names = [...settings.keys()].filter((key) => key.startsWith(`social.${id}.`))
  return <SettingsPanel title={t('ways.providerSettings')} names={names} />
}

/** All settings of an identity provider. Renders them only for people who may read settings. */
const ProviderSettings = ({ id }: { readonly id: string }) =>
  usePermission('settings:read').isAllowed ? (
    <WithSettings>
      <ProviderFields id={id} />
    </WithSettings>
  ) : null

/** The screen of an identity provider: how to set it up, its redirect URI and its state. */
export const ProviderScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { id = '' } = useParams()
  const { data, error, refetch } = useQuery(api.query(providerAdministrationContract, 'adminListProviders'))
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  const provider = data.providers.find((one) => one.id === id)
  if (provider === undefined) return <NotFound />
  return (
    <Page
      title={provider.name}
      lead={`social.${id}`}
      back={{ to: '/admin/providers', text: t('console.screen.providers') }}
      actions={<SwitchOff id={id} />}
    >
      <ProviderTestPanel id={id} />
      <div className="columns">
        <div className="column">
          <Addresses provider={provider} />
          <ProviderUsePanel id={id} />
        </div>
        <div className="column">
          <Settings provider={provider} />
        </div>
      </div>
      <ProviderSettings id={id} />
    </Page>
  )
}
