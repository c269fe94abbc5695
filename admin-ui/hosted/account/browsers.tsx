import { rememberedBrowserContract } from '../../../src/authentication/remembered-browsers/contract.ts'
import { deviceOf, isHandheld } from '../../shared/device.ts'
import { Icon } from '../../shared/icons.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { useAccount } from './context.ts'
import { OutcomeNotice, useAction, useOutcome } from './outcome.tsx'
import { Panel } from './section.tsx'

/** A panel with the browsers in which a sign-in does not ask for a second factor. Renders nothing if there are none. */
export const BrowsersPanel = () => {
  const { api } = useHosted()
  const { t, ago, date } = useI18n()
  const { secondFactors } = useAccount()
  const count = secondFactors.value?.rememberedBrowsers ?? 0
  const calls = api.of(rememberedBrowserContract)
  const browsers = useLoader(() => calls.listRememberedBrowsers(), String(count))
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const forget = (id: string, device: string) => {
    const call = async () => {
      await calls.revokeRememberedBrowser({ body: { id } })
      await Promise.all([browsers.reload(), secondFactors.reload()])
    }
    run(id, call, t('browsers.forgotten', { device }))
  }
  if (count === 0 && outcome.success === undefined && outcome.problem === undefined) return null
  return (
    <Panel id="browsers" title={t('browsers.title')}>
      <p className="quiet panel-lead">{t('browsers.lead')}</p>
      <OutcomeNotice of={outcome} />
      <Loaded of={browsers} rows={1}>
        {(list) => (
          <ul className="rows">
            {list.map(({ id, userAgent, lastUsedAt, expiresAt, current }) => {
              const words = deviceOf(userAgent)
              const device = words === undefined ? t('account.unknownDevice') : t('account.deviceText', words)
              return (
                <li key={id} className="row">
                  <span className="row-tile">
                    <Icon name={isHandheld(userAgent) ? 'phone' : 'device'} />
                  </span>
                  <span className="row-text">
                    <span className="row-title">
                      {device}
                      {current ? (
                        <Badge tone="good" icon="check">
                          {t('devices.current')}
                        </Badge>
                      ) : null}
                    </span>
                    <span className="row-detail">
                      <span>{t('devices.used', { when: ago(lastUsedAt, new Date()) })}</span>
                      <span>{t('browsers.until', { date: date(expiresAt) })}</span>
                    </span>
                  </span>
                  <span className="row-actions">
                    <Button
                      kind="secondary"
                      working={busy === id}
                      name={t('browsers.forgetName', { device })}
                      onClick={() => forget(id, device)}
                    >
                      {t('browsers.forget')}
                    </Button>
                  </span>
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </Panel>
  )
}
