import { useState } from 'react'
import { ownSignInContract } from '../../../src/authentication/explanation/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { isHandheld } from '../../shared/device.ts'
import { Icon } from '../../shared/icons.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { useDeviceName, usePlace } from './devices.tsx'
import { Panel } from './section.tsx'

type SignIn = Answer<WireApi<typeof ownSignInContract>['listOwnSignIns']>['signIns'][number]

const methods = {
  password: 'overview.byPassword',
  code: 'overview.byCode',
  passkey: 'overview.byPasskey',
  'second-factor': 'overview.bySecondFactor',
  other: 'overview.byOther',
} as const

/** How many entries are shown before the person asks for all. */
const few = 4

const Row = ({ signIn }: { readonly signIn: SignIn }) => {
  const { t, dateTime, list } = useI18n()
  const deviceName = useDeviceName()
  const placeOf = usePlace()
  const { at, outcome, attempts, address, userAgent } = signIn
  const details = [
    dateTime(at),
    list(signIn.methods.map((method) => t(methods[method]))),
    ...(attempts > 1 ? [t('overview.attempts', { times: attempts })] : []),
    placeOf(address),
  ].filter((text) => text !== '')
  return (
    <li className="row">
      <span className="row-tile">
        <Icon name={outcome === 'succeeded' ? (isHandheld(userAgent) ? 'phone' : 'device') : 'alert'} />
      </span>
      <span className="row-text">
        <span className="row-title">
          {deviceName({ userAgent })}
          {outcome === 'succeeded' ? null : <Badge tone="warn">{t(`overview.${outcome}`)}</Badge>}
        </span>
        <span className="row-detail">
          {details.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </span>
      </span>
    </li>
  )
}

/** A panel with the latest sign-ins to the account, including failed attempts. */
export const SignIns = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const loaded = useLoader(() => api.of(ownSignInContract).listOwnSignIns())
  const [isAll, setAll] = useState(false)
  return (
    <Panel id="sign-ins" title={t('overview.signIns')}>
      <p className="quiet panel-lead">{t('overview.signInsLead')}</p>
      <Loaded of={loaded} rows={few}>
        {({ signIns }) => (
          <>
            {signIns.length === 0 ? <p className="quiet">{t('overview.signInsNone')}</p> : null}
            <ul className="rows">
              {(isAll ? signIns : signIns.slice(0, few)).map((signIn) => (
                <Row key={signIn.id} signIn={signIn} />
              ))}
            </ul>
            {isAll || signIns.length <= few ? null : (
              <div className="rows-foot">
                <Button kind="secondary" onClick={() => setAll(true)}>
                  {t('overview.more')}
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}
