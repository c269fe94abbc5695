import type { ComponentProps, ComponentType } from 'react'
import { useEffect, useState } from 'react'
import { signInMethodContract } from '../../../src/authentication/methods/federated/linked-accounts/contract.ts'
import { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import { enrolPathFrom } from '../account-paths.ts'
import type { HostedApi } from '../api.ts'
import { createHostedApi } from '../api.ts'
import { Dialog } from '../dialog.tsx'
import { Loaded, useLoader } from '../loading.tsx'
import { knowsPasskeys } from '../passkey.ts'
import { isSignedOut, needsProof } from '../refusals.ts'
import { useI18n } from '../text.tsx'
import { Button } from '../ui.tsx'
import { CodeProof, MailCodeProof, PasskeyProof, PasswordProof, RecoveryCodeProof } from './forms.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import type { ProofWay } from './ways.ts'
import { proofWays } from './ways.ts'

const forms: Readonly<Record<ProofWay, ComponentType<ComponentProps<typeof PasswordProof>>>> = {
  passkey: PasskeyProof,
  totp: CodeProof,
  'recovery-code': RecoveryCodeProof,
  password: PasswordProof,
  'mail-code': MailCodeProof,
}

const names = {
  passkey: 'method.passkey',
  totp: 'method.totp',
  'recovery-code': 'method.recoveryCode',
  password: 'field.password',
  'mail-code': 'method.mailCode',
} as const satisfies Readonly<Record<ProofWay, string>>

interface ElsewhereProps {
  readonly text: string
  readonly action: string
  readonly onLeave: () => void
  readonly onCancel: () => void
}

/** Shown if the dialog cannot ask for any proof. The person has to go to another page, and the text says that typed values are lost then. */
const Elsewhere = ({ text, action, onLeave, onCancel }: ElsewhereProps) => {
  const { t } = useI18n()
  return (
    <>
      <p className="quiet">{text}</p>
      <div className="dialog-actions">
        <Button kind="secondary" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button onClick={onLeave}>{action}</Button>
      </div>
    </>
  )
}

/** Ends the session, and returns to this page after a new sign-in. */
const signInAgain = async (api: HostedApi) => {
  // If the call fails, for example because the session has already ended, the browser goes on to the sign-in.
  await api.sessions.signOut().catch(() => undefined)
  location.assign(`/sign-in?${new URLSearchParams({ callbackURL: location.pathname })}`)
}

type Reason = 'stale' | 'second-factor' | 'signed-out'

interface QuestionProps {
  readonly reason: Reason
  /** True if the call was repeated after a proof, and was refused again. */
  readonly isAgain: boolean
  readonly email: string
  readonly onEnd: (isProven: boolean) => void
}

const Ways = ({ ways, reason, email, onEnd }: Omit<QuestionProps, 'isAgain'> & { readonly ways: readonly ProofWay[] }) => {
  const { t } = useI18n()
  // Calls of this client that are refused do not open a second dialog. This dialog shows the error.
  const [api] = useState(createHostedApi)
  const [chosen, setChosen] = useState<ProofWay>()
  const way = chosen ?? ways[0]
  const onCancel = () => onEnd(false)
  if (way === undefined && reason === 'second-factor')
    return (
      <Elsewhere
        text={t('proof.enrol')}
        action={t('twoStep.switchOn')}
        onLeave={() => location.assign(enrolPathFrom(location.pathname))}
        onCancel={onCancel}
      />
    )
  if (way === undefined)
    return (
      <Elsewhere
        text={t('proof.nothing')}
        action={t('common.signInAgain')}
        onLeave={() => void signInAgain(api)}
        onCancel={onCancel}
      />
    )
  const Proof = forms[way]
  return (
    <>
      <p className="quiet proof-text">{t('proof.text')}</p>
      <Proof key={way} api={api} email={email} onCancel={onCancel} onProven={() => onEnd(true)} />
      {ways.length === 1 ? null : (
        <div className="proof-others">
          <p className="quiet">{t('step.other')}</p>
          {ways
            .filter((other) => other !== way)
            .map((other) => (
              <Button key={other} kind="quiet" onClick={() => setChosen(other)}>
                {t(names[other])}
              </Button>
            ))}
        </div>
      )}
    </>
  )
}

const Question = ({ reason, isAgain, email, onEnd }: QuestionProps) => {
  const { t } = useI18n()
  const [api] = useState(createHostedApi)
  const facts = useLoader(async () => {
    if (reason === 'signed-out') return []
    const [status, accounts, answer] = await Promise.all([
      api.of(totpContract).status(),
      api.of(signInMethodContract).listAccounts(),
      api.sessions.getSession(),
    ])
    return proofWays({
      ...{ status, accounts, needsSecondFactor: reason === 'second-factor', knowsPasskeys: knowsPasskeys(), isAgain },
      emailVerified: answer?.user.emailVerified === true,
    })
  })
  // Another account may be signed in by now. The page was opened for the former account and must not act for the new one, so it is loaded
  // again.
  const giveUp = async () => {
    const found = await api.sessions.getSession({ query: { disableRefresh: 'true' } }).catch(() => null)
    if (found === null || found.user.email === email) onEnd(false)
    else location.reload()
  }
  if (reason === 'signed-out')
    return (
      <Dialog title={t('proof.signedOut')} onClose={() => void giveUp()}>
        <SignInAgain api={api} email={email} onEnd={(isSignedIn) => (isSignedIn ? onEnd(true) : void giveUp())} />
      </Dialog>
    )
  return (
    <Dialog title={t('proof.title')} onClose={() => onEnd(false)}>
      <Loaded of={facts} rows={1}>
        {(ways) => <Ways ways={ways} reason={reason} email={email} onEnd={onEnd} />}
      </Loaded>
    </Dialog>
  )
}

const reasonOf = (error: unknown): Reason | undefined => {
  if (isSignedOut(error)) return 'signed-out'
  if (!needsProof(error)) return undefined
  return error.code === 'SECOND_FACTOR_REQUIRED' ? 'second-factor' : 'stale'
}

/**
 * Handles calls that the server refuses because the session has ended or because there is no recent proof of identity. The call waits
 * while the person gives the proof in a dialog, and is then repeated. The form below the dialog keeps its state. Several calls can wait
 * for one proof.
 */
export const ProofInPlace = ({ api, email }: { readonly api: HostedApi; readonly email: string }) => {
  const [question, setQuestion] = useState<Omit<QuestionProps, 'email'>>()
  useEffect(() => {
    let running: Promise<boolean> | undefined
    const ask = async (reason: Reason, isAgain: boolean) => {
      try {
        return await new Promise<boolean>((onEnd) => setQuestion({ reason, isAgain, onEnd }))
      } finally {
        running = undefined
        setQuestion(undefined)
      }
    }
    api.setRemedy(async (error, isAgain) => {
      const reason = reasonOf(error)
      if (reason === undefined) return false
      running ??= ask(reason, isAgain)
      return running
    })
    return () => api.setRemedy(undefined)
  }, [api])
  return question === undefined ? null : <Question email={email} {...question} />
}
