import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { recoveryCodeContract } from '../../../src/authentication/methods/recovery-codes/contract.ts'
import { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'
import { Loaded } from '../../shared/loading.tsx'
import type { FactorStatus } from '../../shared/proof/ways.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { EnrolTotp } from '../second-factor/enrol-totp.tsx'
import { RecoveryCodes } from '../second-factor/recovery-codes.tsx'
import { Confirm } from './confirm.tsx'
import { useAccount } from './context.ts'
import { useNavigate } from './navigation.tsx'
import { OutcomeNotice, useAction, useOutcome } from './outcome.tsx'
import { Panel } from './section.tsx'

/** If no more recovery codes than this are left, the page advises to make new ones. The server sends a notice at the same number. */
const fewCodes = 3

/** What the panel shows at the moment in place of the list of second factors. */
type Step =
  | { readonly at: 'app'; readonly uri: string; readonly codes: readonly string[] }
  | { readonly at: 'replacement'; readonly uri: string }
  | { readonly at: 'codes'; readonly codes: readonly string[]; readonly message: string }

/** The heading of a step. It takes the focus when the step begins. */
const StepTitle = ({ title }: { readonly title: string }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <h3 ref={heading} tabIndex={-1}>
      {title}
    </h3>
  )
}

interface PartProps {
  readonly icon: IconName
  readonly title: string
  readonly detail: string
  readonly warning?: string | undefined
  readonly children?: ReactNode
}

const Part = ({ icon, title, detail, warning, children }: PartProps) => (
  <li className="row">
    <span className="row-tile">
      <Icon name={icon} />
    </span>
    <span className="row-text">
      <span className="row-title">
        {title}
        {warning === undefined ? null : <Badge tone="warn">{warning}</Badge>}
      </span>
      <span className="row-detail">{detail}</span>
    </span>
    {children === undefined ? null : <span className="row-actions">{children}</span>}
  </li>
)

interface PartsProps {
  readonly status: FactorStatus
  readonly keys: number
  readonly busy: string | undefined
  readonly onAddApp: () => void
  readonly onReplaceApp: () => void
  readonly onNewCodes: () => void
}

/** The list of the person's second factors. It is shown while two-step verification is on. */
const Parts = ({ status, keys, busy, onAddApp, onReplaceApp, onNewCodes }: PartsProps) => {
  const { t, date } = useI18n()
  const { totpSince, recoveryCodes } = status
  const left = recoveryCodes?.left ?? 0
  return (
    <ul className="rows">
      <Part
        icon="phone"
        title={t('method.totp')}
        detail={totpSince === null ? t('enrol.appText') : t('twoStep.appSince', { date: date(totpSince) })}
      >
        {totpSince === null ? (
          <Button kind="secondary" working={busy === 'app'} name={t('twoStep.addApp')} onClick={onAddApp}>
            {t('twoStep.add')}
          </Button>
        ) : (
          <Button kind="secondary" working={busy === 'replacement'} name={t('twoStep.replaceApp')} onClick={onReplaceApp}>
            {t('twoStep.replace')}
          </Button>
        )}
      </Part>
      {keys === 0 ? null : <Part icon="key" title={t('twoStep.keys')} detail={t('twoStep.keysCount', { count: keys })} />}
      <Part
        icon="card"
        title={t('twoStep.codes')}
        detail={t('twoStep.codesLeft', { count: left })}
        warning={left <= fewCodes ? t('twoStep.codesFew') : undefined}
      >
        <Button kind="secondary" working={busy === 'codes'} name={t('twoStep.newCodesName')} onClick={onNewCodes}>
          {t('twoStep.newCodes')}
        </Button>
      </Part>
    </ul>
  )
}

interface TwoStepPanelProps {
  /** How many passkeys and security keys the person can use in place of a code. */
  readonly keys: number
  /** True if the address asks to begin with adding a second factor. */
  readonly isEnrolling: boolean
  /** The path to return to when a second factor has been added. */
  readonly back: string | undefined
}

/** The panel of two-step verification. The person can switch it on and off, and change the second factors. */
export const TwoStepPanel = ({ keys, isEnrolling, back }: TwoStepPanelProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { secondFactors, refresh } = useAccount()
  const navigate = useNavigate()
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const [step, setStep] = useState<Step>()
  const [asking, setAsking] = useState<'off' | 'codes'>()

  const addApp = () =>
    run('app', async () => {
      const { totpURI, backupCodes } = await api.of(totpContract).enable({ body: {} })
      setStep({ at: 'app', uri: totpURI, codes: backupCodes })
    })
  const verify = async (code: string, codes: readonly string[]) => {
    await api.of(totpContract).verifyTotp({ body: { code } })
    setStep({ at: 'codes', codes, message: t('twoStep.switchedOn') })
    await Promise.all([secondFactors.reload(), refresh()])
  }
  const replaceApp = () =>
    run('replacement', async () => {
      const { totpURI } = await api.of(totpContract).replace({ body: {} })
      setStep({ at: 'replacement', uri: totpURI })
    })
  const confirmReplacement = async (code: string) => {
    await api.of(totpContract).confirmReplacement({ body: { code } })
    setStep(undefined)
    outcome.showSuccess(t('twoStep.replaced'))
    await Promise.all([secondFactors.reload(), refresh()])
  }
  const newCodes = () => {
    setAsking(undefined)
    run('codes', async () => {
      const { backupCodes } = await api.of(recoveryCodeContract).generateBackupCodes({ body: {} })
      setStep({ at: 'codes', codes: backupCodes, message: t('twoStep.newCodesDone') })
      // This is not awaited, because the person can go on as soon as the codes are saved.
      void secondFactors.reload()
    })
  }
  const switchOff = () => {
    setAsking(undefined)
    const call = async () => {
      await api.of(totpContract).disable({ body: {} })
      await Promise.all([secondFactors.reload(), refresh()])
    }
    run('off', call, t('twoStep.switchedOff'))
  }
  const canEnrol = secondFactors.value?.isEnabled === false && step === undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: begins once, when it is known that there is no factor yet.
  useEffect(() => {
    if (isEnrolling && canEnrol) addApp()
  }, [isEnrolling, secondFactors.state])

  if (step?.at === 'app' || step?.at === 'replacement')
    return (
      <Panel id="two-step" title={t('twoStep.title')}>
        <StepTitle key="app" title={t('enrol.appTitle')} />
        {step.at === 'app' ? null : <p className="quiet panel-lead">{t('twoStep.replaceText')}</p>}
        <EnrolTotp uri={step.uri} verify={(code) => (step.at === 'app' ? verify(code, step.codes) : confirmReplacement(code))} />
        <div className="rows-foot">
          <Button kind="quiet" onClick={() => setStep(undefined)}>
            {t('common.cancel')}
          </Button>
        </div>
      </Panel>
    )
  if (step?.at === 'codes')
    return (
      <Panel id="two-step" title={t('twoStep.title')}>
        <StepTitle key="codes" title={t('codes.title')} />
        <p className="quiet panel-lead">{t('codes.lead')}</p>
        <RecoveryCodes
          codes={step.codes}
          onKept={() => {
            if (back !== undefined) return navigate(back, 'replace')
            setStep(undefined)
            outcome.showSuccess(step.message)
          }}
        />
      </Panel>
    )
  return (
    <Panel id="two-step" title={t('twoStep.title')}>
      <p className="quiet panel-lead">{t('twoStep.lead')}</p>
      <OutcomeNotice of={outcome} />
      <Loaded of={secondFactors} rows={2}>
        {(status) =>
          status.isEnabled ? (
            <>
              <Parts
                {...{ status, keys, busy }}
                onAddApp={addApp}
                onReplaceApp={replaceApp}
                onNewCodes={() => setAsking('codes')}
              />
              <div className="rows-foot">
                <Button kind="secondary" working={busy === 'off'} onClick={() => setAsking('off')}>
                  {t('twoStep.switchOff')}
                </Button>
              </div>
            </>
          ) : (
            <div className="panel-action">
              <Button working={busy === 'app'} onClick={addApp}>
                {t('twoStep.switchOn')}
              </Button>
            </div>
          )
        }
      </Loaded>
      {asking === undefined ? null : (
        <Confirm
          title={t(asking === 'off' ? 'twoStep.offTitle' : 'twoStep.newCodesTitle')}
          text={t(asking === 'off' ? 'twoStep.offText' : 'twoStep.newCodesText')}
          action={t(asking === 'off' ? 'twoStep.switchOff' : 'twoStep.newCodes')}
          onConfirm={asking === 'off' ? switchOff : newCodes}
          onCancel={() => setAsking(undefined)}
        />
      )}
    </Panel>
  )
}
