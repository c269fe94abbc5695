import { useI18n } from '../../shared/text.tsx'
import { EarlyMailForm } from '../sign-in/early-form.tsx'

/** The form of the page "forgot password" that the server writes into its HTML. */
export const EarlyForgotForm = ({ wrong }: { readonly wrong: readonly string[] }) => {
  const { t } = useI18n()
  return (
    <EarlyMailForm client={false} wrong={wrong} title={t('forgot.title')} lead={t('forgot.lead')} submit={t('forgot.submit')} />
  )
}
