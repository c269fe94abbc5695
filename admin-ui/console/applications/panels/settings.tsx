import { useState } from 'react'
import { Field, SelectField } from '../../../shared/field.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { ActionButton } from '../../shared/action-button.tsx'
import { Facts, Panel } from '../../shared/facts.tsx'
import { Id } from '../../shared/id.tsx'
import { Time } from '../../shared/time.tsx'
import { EditDialog } from '../edit-dialog.tsx'
import type { Application } from '../parts.tsx'
import { keepsSecret, PkceField, StateBadge } from '../parts.tsx'

const proofs = ['none', '2fa', 'phishing-resistant'] as const

interface EditProps {
  readonly application: Application
  readonly onClose: () => void
}

const Edit = ({ application, onClose }: EditProps) => {
  const { t } = useI18n()
  const [name, setName] = useState(application.name)
  const [pkce, setPkce] = useState<string>(application.pkce ?? 'default')
  const [proof, setProof] = useState<string>(application.requireAcr ?? 'none')
  const [skipConsent, setSkipConsent] = useState(application.skipConsent)
  const [deviceFlow, setDeviceFlow] = useState(application.deviceFlow)
  const [understandsAct, setUnderstandsAct] = useState(application.understandsAct)
  const signsIn = application.type !== 'machine'
  const hasPkce = application.type === 'web'
  const body = {
    name: name.trim(),
    ...(hasPkce ? { pkce: pkce === 'default' ? null : pkce } : {}),
    ...(signsIn ? { requireAcr: proof === 'none' ? null : proof, skipConsent, understandsAct, deviceFlow } : {}),
  }
  const flags = [
    ...['--name', name.trim()],
    ...(hasPkce ? ['--pkce', pkce] : []),
    ...(signsIn ? ['--require-acr', proof, skipConsent ? '--skip-consent' : '--no-skip-consent'] : []),
    ...(signsIn
      ? [understandsAct ? '--understands-act' : '--no-understands-act', deviceFlow ? '--device-flow' : '--no-device-flow']
      : []),
  ]
  const missing = name.trim() === '' ? t('clients.nameMissing') : undefined
  return (
    <EditDialog
      title={t('clients.editSettings', { name: application.name })}
      {...{ application, body, flags, onClose }}
      problem={missing}
    >
      <Field
        autoComplete="off"
        maxLength={128}
        name="name"
        label={t('clients.name')}
        value={name}
        hint={t('clients.nameHint')}
        error={missing}
        onValue={setName}
      />
      {hasPkce ? <PkceField value={pkce} onValue={setPkce} /> : null}
      {signsIn ? (
        <>
          <SelectField
            name="requireAcr"
            label={t('clients.requireAcr')}
            defaultValue={proof}
            options={proofs.map((value) => ({ value, text: t(`clients.requireAcr.${value}`) }))}
            onValue={setProof}
          />
          <label className="check">
            <input
              type="checkbox"
              name="skipConsent"
              checked={skipConsent}
              onChange={({ currentTarget }) => setSkipConsent(currentTarget.checked)}
            />
            {t('clients.skipConsent')}
          </label>
          <label className="check">
            <input
              type="checkbox"
              name="understandsAct"
              checked={understandsAct}
              onChange={({ currentTarget }) => setUnderstandsAct(currentTarget.checked)}
            />
            {t('clients.understandsAct')}
          </label>
          <label className="check">
            <input
              type="checkbox"
              name="deviceFlow"
              checked={deviceFlow}
              onChange={({ currentTarget }) => setDeviceFlow(currentTarget.checked)}
            />
            {t('clients.deviceFlow')}
          </label>
        </>
      ) : null}
    </EditDialog>
  )
}

/** A panel with the properties of an application. */
export const SettingsPanel = ({ application }: { readonly application: Application }) => {
  const { t } = useI18n()
  const [isEditing, setIsEditing] = useState(false)
  const signsIn = application.type !== 'machine'
  return (
    <Panel
      title={t('clients.facts')}
      actions={
        <ActionButton permission="clients:update" onClick={() => setIsEditing(true)}>
          {t('clients.edit')}
          <span className="visually-hidden"> {t('clients.facts')}</span>
        </ActionButton>
      }
    >
      <Facts
        rows={[
          [t('clients.state'), <StateBadge key="state" application={application} />],
          [t('clients.kind'), t(`clients.kind.${application.type}`)],
          [t('clients.id'), <Id key="id" id={application.clientId} />],
          [
            t('clients.consent'),
            signsIn ? t(application.skipConsent ? 'clients.consentSkipped' : 'clients.consentAsked') : undefined,
          ],
          [
            t('clients.impersonation'),
            signsIn
              ? t(application.understandsAct ? 'clients.impersonationAccepted' : 'clients.impersonationRefused')
              : undefined,
          ],
          [
            t('clients.devices'),
            signsIn ? t(application.deviceFlow ? 'clients.devicesAllowed' : 'clients.devicesRefused') : undefined,
          ],
          [t('clients.requireAcr'), signsIn ? t(`clients.requireAcr.${application.requireAcr ?? 'none'}`) : undefined],
          [
            t('clients.pkce'),
            signsIn
              ? t(`clients.pkce.${keepsSecret(application.type) ? (application.pkce ?? 'default') : 'required'}`)
              : undefined,
          ],
          [t('clients.idTokenAlg'), signsIn ? <code key="alg">{application.idTokenAlg}</code> : undefined],
          [t('clients.createdAt'), <Time key="created" at={application.createdAt} exact />],
          [t('clients.updatedAt'), <Time key="updated" at={application.updatedAt} exact />],
        ]}
      />
      {isEditing ? <Edit application={application} onClose={() => setIsEditing(false)} /> : null}
    </Panel>
  )
}
