import type { FormEvent } from 'react'
import { useState } from 'react'
import { mailContract } from '../../../src/mail/contract.ts'
import { Field } from '../../shared/field.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Notice } from '../../shared/ui.tsx'
import { useConsole, usePermission } from '../api.ts'
import { useSetting, useSettingsForm } from '../settings/draft.ts'
import { SettingField } from '../settings/field.tsx'
import { SettingsPanel } from '../settings/panel.tsx'
import { WithSettings } from '../settings/settings-page.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import { Panel } from '../shared/facts.tsx'
import { useProblem } from '../shared/failure.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import type { ServerParts } from './server-address.ts'
import { addressOf, noServer } from './server-address.ts'

const encryptions = ['tls', 'starttls'] as const

/** Fields for host, encryption, port, user and password of the mail server. Together they give the value of the setting `smtpUrl`. */
const ServerFields = ({ id, isDisabled }: { readonly id: string; readonly isDisabled: boolean }) => {
  const { t } = useI18n()
  const { change, forgetTyped } = useSettingsForm()
  const [parts, setParts] = useState<ServerParts>(noServer)
  const set = (next: Partial<ServerParts>) => {
    const all = { ...parts, ...next }
    setParts(all)
    const address = addressOf(all)
    if (address === undefined) forgetTyped('smtpUrl')
    else change('smtpUrl', address)
  }
  const common = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, disabled: isDisabled } as const
  return (
    <fieldset className="mail-server" aria-labelledby={`${id}-label`} aria-describedby={`${id}-state`}>
      <label className="field">
        {t('mail.server.host')}
        <input
          {...common}
          value={parts.host}
          placeholder="smtp.example.com"
          onChange={({ currentTarget }) => set({ host: currentTarget.value })}
        />
      </label>
      <label className="field">
        {t('mail.server.encryption')}
        <span className="field-box">
          <select
            aria-label={t('mail.server.encryption')}
            value={parts.encryption}
            disabled={isDisabled}
            onChange={({ currentTarget }) => set({ encryption: encryptions.find((one) => one === currentTarget.value) ?? 'tls' })}
          >
            {encryptions.map((one) => (
              <option key={one} value={one}>
                {t(`mail.server.encryption.${one}`)}
              </option>
            ))}
          </select>
          <Icon name="down" size={16} />
        </span>
      </label>
      <label className="field">
        {t('mail.server.port')}
        <input
          {...common}
          inputMode="numeric"
          value={parts.port}
          placeholder={parts.encryption === 'tls' ? '465' : '587'}
          onChange={({ currentTarget }) => set({ port: currentTarget.value })}
        />
      </label>
      <label className="field">
        {t('mail.server.user')}
        <input {...common} value={parts.user} onChange={({ currentTarget }) => set({ user: currentTarget.value })} />
      </label>
      <label className="field">
        {t('mail.server.password')}
        <input
          {...common}
          type="password"
          autoComplete="new-password"
          value={parts.password}
          onChange={({ currentTarget }) => set({ password: currentTarget.value })}
        />
      </label>
    </fieldset>
  )
}

const ServerPanel = () => {
  const { t } = useI18n()
  const { roundOf } = useSettingsForm()
  const found = useSetting('smtpUrl')
  const stored = found?.setting.stored?.value
  return (
    <Panel title={t('mail.server')}>
      <p className="panel-note">
        {found?.setting.isSet === true
          ? t('mail.serverSet', { server: typeof stored === 'string' && stored !== '' ? stored : t('ways.secretSet') })
          : t('mail.serverUnset')}
      </p>
      <SettingField name="smtpUrl" label={t('mail.serverChange')} isGroup>
        {(control) => <ServerFields key={roundOf('smtpUrl')} {...control} />}
      </SettingField>
      <SettingField name="mailFrom" />
      <SettingField name="smtpAllowPlaintext" />
    </Panel>
  )
}

/** A panel that sends a test mail and shows the mail server's response. */
const TestPanel = () => {
  const { t } = useI18n()
  const { access } = useConsole()
  const { isAllowed } = usePermission('mails:update')
  const problemOf = useProblem()
  const send = useChange(mailContract, 'sendTestMail')
  const [address, setAddress] = useState(access.user.email)
  const [isWorking, setIsWorking] = useState(false)
  const [outcome, setOutcome] = useState<{ readonly isGood: boolean; readonly text: string }>()
  const input = { body: { address } }
  const run = async () => {
    setIsWorking(true)
    setOutcome(undefined)
    try {
      const { isAccepted, answer, address: to } = await send(input)
      setOutcome({
        isGood: isAccepted,
        text: t(isAccepted ? 'mail.testAccepted' : 'mail.testRefused', { address: to, answer }),
      })
    } catch (error) {
      setOutcome({ isGood: false, text: problemOf(error) })
    }
    setIsWorking(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isWorking && isAllowed) void run()
  }
  return (
    <Panel
      title={t('mail.test')}
      actions={<ShowCall target={mailContract.sendTestMail} input={input} command={['doctor', '--mail-to', address]} />}
    >
      <form className="panel-fields" noValidate onSubmit={submit}>
        <Field
          name="address"
          type="email"
          label={t('mail.testTo')}
          autoComplete="email"
          defaultValue={address}
          hint={t('mail.testHint')}
          onValue={setAddress}
        />
        <div>
          <ActionButton permission="mails:update" icon="mail" working={isWorking} onClick={() => void run()}>
            {t('mail.testSend')}
          </ActionButton>
        </div>
        <div role="status">
          {outcome === undefined ? null : <Notice tone={outcome.isGood ? 'good' : 'bad'}>{outcome.text}</Notice>}
        </div>
      </form>
    </Panel>
  )
}

/** The screen for mail server and sender. A changed mail server is tested before it is stored, and a test mail can be sent. */
export const MailServerScreen = () => {
  const { t } = useI18n()
  return (
    <WithSettings>
      <Page title={t('console.screen.mailServer')} lead={t('mail.serverLead')}>
        <ServerPanel />
        <TestPanel />
        <SettingsPanel
          title={t('mail.delivery')}
          names={[
            ...['mail.maxAttempts', 'mail.retrySeconds', 'mail.timeoutSeconds', 'mail.noticesPerHour', 'mail.requestsPerHour'],
            ...['mail.requestsPerAskerAndHour', 'mail.keepSentDays', 'mail.keepFailedDays'],
          ]}
        />
      </Page>
    </WithSettings>
  )
}
