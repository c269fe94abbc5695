import { useState } from 'react'
import type { ListedSession } from '../../shared/api.ts'
import { deviceOf, isHandheld, isPrivate, programOf } from '../../shared/device.ts'
import { errorMessages } from '../../shared/error-messages.ts'
import { Icon } from '../../shared/icons.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { OutcomeNotice, useOutcome } from './outcome.tsx'
import { Panel, Section } from './section.tsx'

/** Returns a function that gives the readable name of a device, in the reader's language. */
export const useDeviceName = () => {
  const { t } = useI18n()
  return ({ userAgent }: Pick<ListedSession, 'userAgent'>) => {
    const device = deviceOf(userAgent)
    return device === undefined ? (programOf(userAgent) ?? t('account.unknownDevice')) : t('account.deviceText', device)
  }
}

/** Returns a function that describes the network of a session. A geographic place is not known. */
export const usePlace = () => {
  const { t } = useI18n()
  return (address: string) => (address === '' ? '' : t(isPrivate(address) ? 'place.private' : 'place.address', { address }))
}

/** A session whose last use is not longer ago than this counts as "in use now", in milliseconds. The server does not store every single use. */
const nowMs = 5 * 60_000

interface DeviceProps {
  readonly session: ListedSession
  readonly working?: boolean
  readonly onEnd?: () => void
}

export const Device = ({ session, working = false, onEnd }: DeviceProps) => {
  const { t, ago, date } = useI18n()
  const name = useDeviceName()(session)
  const placeOf = usePlace()
  const now = new Date()
  const isUsed = session.current || now.getTime() - Date.parse(session.updatedAt) < nowMs
  const details = [
    isUsed ? t('devices.now') : t('devices.used', { when: ago(session.updatedAt, now) }),
    t('devices.since', { date: date(session.createdAt) }),
    placeOf(session.ipAddress),
  ].filter((text) => text !== '')
  return (
    <li className="row">
      <span className="row-tile">
        <Icon name={isHandheld(session.userAgent) ? 'phone' : 'device'} />
      </span>
      <span className="row-text">
        <span className="row-title">
          {name}
          {session.current ? (
            <Badge tone="good" icon="check">
              {t('devices.current')}
            </Badge>
          ) : null}
        </span>
        <span className="row-detail">
          {details.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </span>
      </span>
      {onEnd === undefined ? null : (
        <span className="row-actions">
          <Button kind="secondary" working={working} name={t('devices.endName', { device: name })} onClick={onEnd}>
            {t('devices.end')}
          </Button>
        </span>
      )}
    </li>
  )
}

export const DevicesSection = () => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const sessions = useLoader(() => api.sessions.listSessions())
  const nameOf = useDeviceName()
  const outcome = useOutcome()
  const [busy, setBusy] = useState<string>()

  const end = async (what: string, call: () => Promise<unknown>, said: string) => {
    if (busy !== undefined) return
    setBusy(what)
    try {
      await call()
      await sessions.reload()
      outcome.showSuccess(said)
    } catch (error) {
      const { form } = errorMessages(error, [], api.retryAfterSeconds(), i18n)
      await sessions.reload()
      if (form !== undefined) outcome.showProblem(form)
    }
    setBusy(undefined)
  }
  const endOne = (session: ListedSession) =>
    end(
      session.id,
      () => api.sessions.revokeSession({ body: { token: session.id } }),
      t('devices.ended', { device: nameOf(session) }),
    )
  const endOthers = () => end('others', () => api.sessions.revokeOtherSessions(), t('devices.endedOthers'))

  return (
    <Section title={t('account.devices')} lead={t('devices.lead')}>
      <OutcomeNotice of={outcome} />
      <Panel id="devices">
        <Loaded of={sessions} rows={2}>
          {(list) => {
            const others = list.filter(({ current }) => !current)
            return (
              <>
                <ul className="rows">
                  {list
                    .filter(({ current }) => current)
                    .map((session) => (
                      <Device key={session.id} session={session} />
                    ))}
                  {others.map((session) => (
                    <Device key={session.id} session={session} working={busy === session.id} onEnd={() => void endOne(session)} />
                  ))}
                </ul>
                {others.length === 0 ? <p className="quiet rows-foot">{t('devices.none')}</p> : null}
                {others.length > 1 ? (
                  <div className="rows-foot">
                    <Button kind="secondary" icon="signOut" working={busy === 'others'} onClick={() => void endOthers()}>
                      {t('devices.endOthers')}
                    </Button>
                  </div>
                ) : null}
              </>
            )
          }}
        </Loaded>
      </Panel>
    </Section>
  )
}
