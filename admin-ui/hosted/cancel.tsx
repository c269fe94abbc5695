import type { Interaction } from '../shared/api.ts'
import { FormEnd } from '../shared/form.tsx'
import { useI18n } from '../shared/text.tsx'
import { Button } from '../shared/ui.tsx'
import { useHosted } from './context.tsx'
import { useDecision } from './decision.ts'

/** A button that ends an application's sign-in, or its request for a further proof of identity. The application then receives an error. */
export const Cancel = ({ interaction: { uid, stepUp } }: { readonly interaction: Interaction }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { blocked, problem, decide } = useDecision((interaction: string) =>
    stepUp === null ? api.oidc.cancelSignIn({ body: { interaction } }) : api.oidc.declineStepUp({ body: { interaction } }),
  )
  return (
    <>
      <FormEnd problem={problem} pending={false} />
      <p className="card-foot">
        <Button kind="quiet" blocked={blocked} onClick={() => decide(uid)}>
          {t('common.cancel')}
        </Button>
      </p>
    </>
  )
}
