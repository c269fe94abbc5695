import { use, useState } from 'react'
import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import { FormEnd } from '../../shared/form.tsx'
import { knowsPasskeys, makePasskey } from '../../shared/passkey.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { EnrolTotp } from '../second-factor/enrol-totp.tsx'
import { StepHeading } from '../second-factor/heading.tsx'
import { RecoveryCodes } from '../second-factor/recovery-codes.tsx'
import { usePasskey } from '../second-factor/use-passkey.ts'
import { Card } from '../shell.tsx'
import { Choose } from './choose.tsx'
import { Decline, proving, type StepProps } from './step.tsx'

interface App {
  readonly totpURI: string
  readonly backupCodes: readonly string[]
}

interface AddAppProps {
  readonly app: App
  readonly onAdded: () => void
  readonly onBack: () => void
  readonly onOver: () => void
}

const AddApp = ({ app, onAdded, onBack, onOver }: AddAppProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const verify = async (code: string) => {
    if (await proving(() => api.of(totpContract).verifyTotp({ body: { code } }), onOver)) onAdded()
  }
  return (
    <Card>
      <StepHeading title={t('enrol.appTitle')} />
      <EnrolTotp uri={app.totpURI} verify={verify} />
      <p className="card-foot">
        <Button kind="quiet" onClick={onBack}>
          {t('common.goBack')}
        </Button>
      </p>
    </Card>
  )
}

const Codes = ({ codes, onKept }: { readonly codes: readonly string[]; readonly onKept: () => void }) => {
  const { t } = useI18n()
  useTitle(t('codes.title'))
  return (
    <Card>
      <StepHeading title={t('codes.title')}>{t('codes.lead')}</StepHeading>
      <RecoveryCodes codes={codes} onKept={onKept} />
    </Card>
  )
}

/** Adds the second factor during the pending sign-in. Adding it also counts as its proof. */
export const Enrol = ({ step, onDone, onOver }: Pick<StepProps, 'step' | 'onDone' | 'onOver'>) => {
  const { api, resources } = useHosted()
  const { t } = useI18n()
  const { passkeysEnabled } = use(resources.settings())
  const [app, setApp] = useState<App>()
  const [isAdded, setAdded] = useState(false)
  const [hasChosen, setChosen] = useState(false)
  useTitle(t('enrol.title'))

  const adding = usePasskey(async (way: 'totp' | 'passkey') => {
    if (way === 'totp') {
      await proving(async () => setApp(await api.of(totpContract).enable({ body: {} })), onOver)
      return 'again'
    }
    const calls = api.of(passkeyContract)
    const add = async () => {
      const response = await makePasskey(await calls.generateRegisterOptions({ query: {} }))
      await calls.verifyRegistration({ body: { response } })
    }
    if (await proving(add, onOver)) onDone()
    return 'leaving'
  })

  if (app !== undefined && isAdded) return <Codes codes={app.backupCodes} onKept={onDone} />
  if (app !== undefined)
    return (
      <AddApp
        app={app}
        onAdded={() => setAdded(true)}
        onBack={() => {
          setApp(undefined)
          setChosen(true)
        }}
        onOver={onOver}
      />
    )
  const withPasskeys = passkeysEnabled && knowsPasskeys()
  return (
    <Choose
      step={step}
      title={t('enrol.title')}
      lead={t('enrol.lead')}
      choices={[
        { name: 'totp', icon: 'phone', title: t('method.totp'), text: t('enrol.appText') },
        ...(withPasskeys
          ? [{ name: 'passkey', icon: 'key', title: t('method.passkey'), text: t('method.passkeyText') } as const]
          : []),
      ]}
      onChoose={adding.start}
      replacesForm={hasChosen}
    >
      <FormEnd problem={adding.problem} pending={false} />
      <p className="visually-hidden" role="status">
        {adding.pending ? t('passkey.waiting') : ''}
      </p>
      <Decline />
    </Choose>
  )
}
