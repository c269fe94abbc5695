import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import type { HostedApi } from '../../shared/api.ts'
import { FormEnd } from '../../shared/form.tsx'
import { makePasskey } from '../../shared/passkey.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { usePasskey } from '../second-factor/use-passkey.ts'

/** Key in the browser's storage for the fact that the person has answered the question here, with yes or no. */
const answeredKey = 'gatehouse.passkey-offer'
const wasAnswered = () => localStorage.getItem(answeredKey) !== null
const noteAnswer = () => {
  try {
    localStorage.setItem(answeredKey, '1')
  } catch {
    // Without storage, the question is asked again.
  }
}

/**
 * Longest wait for the browser to make a passkey by itself, in milliseconds. It is more than browsers need, and the person has not asked
 * for the wait.
 */
const patienceMs = 5_000
const patience = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), patienceMs))

const add = async (api: HostedApi, bySelf: boolean) => {
  const calls = api.of(passkeyContract)
  const options = await calls.generateRegisterOptions({ query: bySelf ? { conditional: 'true' } : {} })
  const making = makePasskey(options, bySelf)
  const response = await (bySelf ? Promise.race([making, patience()]) : making)
  if (response !== undefined) await calls.verifyRegistration({ body: { response } })
}

/**
 * Called after a sign-in with a password. If the browser can make a passkey by itself (Web Authentication, `conditionalCreate`), it does
 * so. Returns true if the person has no passkey and should be asked. Throws after a failure, which needs no message.
 */
export const offerPasskey = async (
  api: HostedApi,
  mode: 'silently' | 'ask',
  addTexts: (catalogue: 'secondFactor') => Promise<void>,
): Promise<boolean> => {
  const { conditionalCreate = false } = (await PublicKeyCredential.getClientCapabilities?.()) ?? {}
  if (conditionalCreate) {
    await add(api, true)
    return false
  }
  if (mode === 'silently' || wasAnswered()) return false
  if (!(await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable())) return false
  if ((await api.of(passkeyContract).listUserPasskeys()).length > 0) return false
  await addTexts('secondFactor')
  return true
}

/** Asks whether to add a passkey. The question is asked once in each browser. */
export const PasskeyOffer = ({ onDone }: { readonly onDone: () => void }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  useTitle(t('offer.title'))
  const leave = () => {
    noteAnswer()
    onDone()
  }
  const passkey = usePasskey(async () => {
    await add(api, false)
    leave()
    return 'leaving'
  })
  return (
    <MessageCard icon="key" title={t('offer.title')} text={t('offer.text')} replacesForm>
      <div className="actions">
        <Button kind="secondary" onClick={leave}>
          {t('offer.decline')}
        </Button>
        <Button icon="key" working={passkey.pending} onClick={() => passkey.start()}>
          {t('offer.add')}
        </Button>
      </div>
      <FormEnd problem={passkey.problem} pending={false} />
    </MessageCard>
  )
}
