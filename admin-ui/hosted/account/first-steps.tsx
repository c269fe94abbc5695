import { useState } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import { mailContract } from '../../../src/mail/contract.ts'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { settingsContract } from '../../../src/settings/contract.ts'
import { createHostedApi } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useLoader } from './loading.tsx'
import { Panel } from './section.tsx'
import '../more.css'

/** Kept in this browser alone: the person does not want to see the steps again. */
const dismissedKey = 'gatehouse.first-steps'

const isDismissed = () => {
  try {
    return localStorage.getItem(dismissedKey) !== null
  } catch {
    return false
  }
}

const dismiss = () => {
  try {
    localStorage.setItem(dismissedKey, 'dismissed')
  } catch {
    // Then they are there again the next time.
  }
}

const steps = {
  application: { icon: 'apps', title: 'firstSteps.application', text: 'firstSteps.applicationText' },
  mail: { icon: 'mail', title: 'firstSteps.mail', text: 'firstSteps.mailText' },
  brand: { icon: 'building', title: 'firstSteps.brand', text: 'firstSteps.brandText' },
} as const

/** Where each step is described, and what does it. */
const commands: Readonly<Record<keyof typeof steps, string>> = {
  application: 'gatehouse register-client',
  mail: 'GATEHOUSE_SMTP_URL',
  brand: 'GATEHOUSE_BRAND_NAME',
}

/** What a call answers; undefined where the person has no permission for it. */
const permitted = <T,>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  })

/** The steps one may see, and whether each is done. A client of its own: nobody is asked for a proof because of what is only shown. */
const loadSteps = async () => {
  const api = createHostedApi()
  const settingsOf = (search: string) => permitted(api.of(settingsContract).listSettings({ query: { search } }))
  const [clients, mails, smtp, brand] = await Promise.all([
    permitted(api.of(applicationContract).listApplications({ query: { limit: 1 } })),
    permitted(api.of(mailContract).listMails({ query: { limit: 1, state: 'sent' } })),
    settingsOf('smtpUrl'),
    settingsOf('brand.'),
  ])
  const hasSmtp = smtp?.settings.some(({ key, isSet }) => key === 'smtpUrl' && isSet) === true
  const done = {
    application: clients && clients.clients.length > 0,
    mail: mails && smtp && hasSmtp && mails.mails.length > 0,
    brand: brand?.settings.some(({ isSet }) => isSet),
  }
  return (Object.keys(steps) as (keyof typeof steps)[]).flatMap((name) => {
    const isDone = done[name]
    return isDone === undefined ? [] : [{ name, isDone }]
  })
}

/** What comes next after the set-up, for who may do it, until it is done or not wanted. */
export const FirstSteps = () => {
  const { t } = useI18n()
  const [isHidden, setHidden] = useState(isDismissed)
  const loaded = useLoader(() => (isHidden ? Promise.resolve([]) : loadSteps()))
  if (isHidden || loaded.value === undefined || loaded.value.every(({ isDone }) => isDone)) return null
  return (
    <Panel id="first-steps" title={t('firstSteps.title')}>
      <p className="quiet panel-lead">{t('firstSteps.lead')}</p>
      <ul className="rows">
        {loaded.value.map(({ name, isDone }) => (
          <li key={name} className="row">
            <span className="row-tile">
              <Icon name={isDone ? 'check' : steps[name].icon} />
            </span>
            <span className="row-text">
              <span className="row-title">
                {t(steps[name].title)}
                <Badge tone={isDone ? 'good' : 'plain'}>{t(isDone ? 'firstSteps.done' : 'firstSteps.open')}</Badge>
              </span>
              {isDone ? null : (
                <span className="row-detail">
                  <span>
                    {t(steps[name].text)} <code className="break">{commands[name]}</code>
                  </span>
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <div className="rows-foot">
        <Button
          kind="quiet"
          onClick={() => {
            dismiss()
            setHidden(true)
          }}
        >
          {t('firstSteps.dismiss')}
        </Button>
      </div>
    </Panel>
  )
}
