import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import type { HostedApi } from '../../shared/api.ts'
import { FormEnd } from '../../shared/form.tsx'
import { makePasskey } from '../../shared/passkey.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { usePasskey } from '../second-factor/use-passkey.ts'

/** Name under which the browser stores that the person has answered the question, with yes or no. */
const answeredKey = 'gatehouse.passkey-offer'
const wasAnswered = () => localStorage.getItem(answeredKey) !== null
const noteAnswer = () => {
  try {
    localStorage.setItem(answeredKey, '1')
  } catch {
    // If the browser cannot store the answer, the question will be asked again.
  }
}

/**
 * How long the page waits for the browser to make a passkey without asking, in milliseconds. Browsers need less. The time is short
 * because the person did not ask for this.
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
 * Called after a sign-in with a password. If the browser can make a passkey without asking the person (Web Authentication,
 * `conditionalCreate`), one is made. Returns true if there is still no passkey and the person should be asked. Errors that it throws need
 * no message.
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

/** Asks whether to add a passkey. Each browser asks only once. */
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
