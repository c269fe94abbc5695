import { useState } from 'react'
import { Field, SelectField } from '../../../shared/field.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { ActionButton } from '../../shared/action-button.tsx'
import { Facts, Panel } from '../../shared/facts.tsx'
import { EditDialog } from '../edit-dialog.tsx'
import type { Application } from '../parts.tsx'
import { keepsSecret } from '../parts.tsx'

interface EditProps {
  readonly application: Application
  readonly onClose: () => void
}

const methods = ['default', 'client_secret_jwt', 'private_key_jwt'] as const
const subjects = ['public', 'pairwise'] as const

/** The option of the form for a stored authentication method. The form has one option for the two methods that send the client secret. */
const offeredOf = ({ authMethod }: Application): string => methods.find((method) => method === authMethod) ?? 'default'

const Edit = ({ application, onClose }: EditProps) => {
  const { t } = useI18n()
  const hasMethod = keepsSecret(application.type)
  const signsIn = application.type !== 'machine'
  const [method, setMethod] = useState(offeredOf(application))
  const [jwksUri, setJwksUri] = useState(application.jwksUri ?? '')
  const [subjectType, setSubjectType] = useState<string>(application.subjectType)
  const [sector, setSector] = useState(application.sectorIdentifierUri ?? '')
  const [logout, setLogout] = useState(application.backchannelLogoutUri ?? '')
  const [login, setLogin] = useState(application.initiateLoginUri ?? '')
  const [requirePar, setRequirePar] = useState(application.requirePushedAuthorizationRequests)
  const isOther = method !== offeredOf(application)
  const address = (value: string) => (value.trim() === '' ? null : value.trim())
  const body = {
    ...(hasMethod && isOther ? { authMethod: method === 'default' ? null : method } : {}),
    ...(hasMethod ? { jwksUri: address(jwksUri) } : {}),
    ...(signsIn ? { subjectType, sectorIdentifierUri: address(sector), backchannelLogoutUri: address(logout) } : {}),
    ...(signsIn ? { initiateLoginUri: address(login), requirePushedAuthorizationRequests: requirePar } : {}),
  }
  const flags = [
    ...(hasMethod && isOther ? ['--auth-method', method] : []),
    ...(hasMethod ? ['--jwks-uri', jwksUri.trim()] : []),
    ...(signsIn ? ['--subject-type', subjectType, '--sector-identifier-uri', sector.trim()] : []),
    ...(signsIn ? ['--backchannel-logout-uri', logout.trim(), '--initiate-login-uri', login.trim()] : []),
    ...(signsIn ? [requirePar ? '--require-par' : '--no-require-par'] : []),
  ]
  return (
    <EditDialog title={t('clients.editProtocol', { name: application.name })} {...{ application, body, flags, onClose }}>
      {hasMethod ? (
        <>
          <SelectField
            name="authMethod"
            label={t('clients.authMethod')}
            hint={t('clients.authMethodHint')}
            defaultValue={method}
            options={methods.map((value) => ({ value, text: t(`clients.authMethod.${value}`) }))}
            onValue={setMethod}
          />
          <Field
            type="url"
            isOptional
            autoComplete="off"
            maxLength={2000}
            name="jwksUri"
            label={t('clients.jwksUri')}
            hint={t('clients.jwksUriHint')}
            value={jwksUri}
            onValue={setJwksUri}
          />
        </>
      ) : null}
      {signsIn ? (
        <>
          <SelectField
            name="subjectType"
            label={t('clients.subjectType')}
            hint={t('clients.subjectTypeHint')}
            defaultValue={subjectType}
            options={subjects.map((value) => ({ value, text: t(`clients.subjectType.${value}`) }))}
            onValue={setSubjectType}
          />
          <Field
            type="url"
            isOptional
            autoComplete="off"
            maxLength={2000}
            name="sector"
            label={t('clients.sector')}
            hint={t('clients.sectorHint')}
            value={sector}
            onValue={setSector}
          />
          <Field
            type="url"
            isOptional
            autoComplete="off"
            maxLength={2000}
            name="logout"
            label={t('clients.backchannel')}
            hint={t('clients.backchannelHint')}
            value={logout}
            onValue={setLogout}
          />
          <Field
            type="url"
            isOptional
            autoComplete="off"
            maxLength={2000}
            name="login"
            label={t('clients.initiateLogin')}
            hint={t('clients.initiateLoginHint')}
            value={login}
            onValue={setLogin}
          />
          <label className="check">
            <input
              type="checkbox"
              name="requirePar"
              checked={requirePar}
              onChange={({ currentTarget }) => setRequirePar(currentTarget.checked)}
            />
            {t('clients.requirePar')}
          </label>
        </>
      ) : null}
    </EditDialog>
  )
}

const address = (value: string | null) =>
  value === null ? undefined : (
    <code key={value} className="break">
      {value}
    </code>
  )

/** A panel with client authentication, subject identifiers and logout notifications of an application. */
export const ProtocolPanel = ({ application }: { readonly application: Application }) => {
  const { t } = useI18n()
  const [isEditing, setIsEditing] = useState(false)
  const signsIn = application.type !== 'machine'
  const { jwks, jwksUri, subjectType, initiateLoginUri } = application
  return (
    <Panel
      title={t('clients.protocol')}
      actions={
        <ActionButton permission="clients:update" onClick={() => setIsEditing(true)}>
          {t('clients.edit')}
          <span className="visually-hidden"> {t('clients.protocol')}</span>
        </ActionButton>
      }
    >
      <Facts
        rows={[
          [
            t('clients.authMethod'),
            t(
              keepsSecret(application.type)
                ? `clients.authMethod.${offeredOf(application) as 'default'}`
                : 'clients.authMethod.none',
            ),
          ],
          [t('clients.jwksUri'), address(jwksUri)],
          [t('clients.jwks'), jwks === null ? undefined : t('clients.jwksCount', { count: jwks.keys.length })],
          [t('clients.subjectType'), signsIn ? t(`clients.subjectType.${subjectType}`) : undefined],
          [t('clients.sector'), address(application.sectorIdentifierUri)],
          [t('clients.backchannel'), address(application.backchannelLogoutUri)],
          [
            t('clients.initiateLogin'),
            initiateLoginUri === null ? undefined : (
              <a
                key="login"
                className="break"
                href={`${initiateLoginUri}${initiateLoginUri.includes('?') ? '&' : '?'}iss=${encodeURIComponent(location.origin)}`}
                target="_blank"
                rel="noopener noreferrer"
              >
                {initiateLoginUri}
              </a>
            ),
          ],
          [t('clients.requirePar'), application.requirePushedAuthorizationRequests ? t('console.yes') : undefined],
        ]}
      />
      {isEditing ? <Edit application={application} onClose={() => setIsEditing(false)} /> : null}
    </Panel>
  )
}
