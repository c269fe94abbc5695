import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import type { HostedApi } from '../../shared/api.ts'
import { FormEnd } from '../../shared/form.tsx'
import { makePasskey } from '../../shared/passkey.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { usePasskey } from '../second-factor/use-passkey.ts'

/** In the browser's storage: the question was answered here, one way or the other. */
const answeredKey = 'gatehouse.passkey-offer'
const wasAnswered = () => localStorage.getItem(answeredKey) !== null
const noteAnswer = () => {
  try {
    localStorage.setItem(answeredKey, '1')
  } catch {
    // No storage: the question comes again.
  }
}

/** Longer than a browser takes that makes a passkey by itself; nobody waits longer for what they did not ask for. */
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
 * After a sign-in with a password: has the browser make a passkey by itself, where it can (Web Authentication, `conditionalCreate`). True when the
 * person, who has none, should be asked. Throws when that does not work, which nobody needs to be told.
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

/** Asks, once in this browser, whether to add a passkey. */
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
