import { use, useState } from 'react'
import { verificationContract } from '../../../src/authentication/verification/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import type { Answer, HostedApi, Settings } from '../../shared/api.ts'
import { Form, useForm } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { takeToken } from '../token.ts'
import { WaysIn } from '../ways-in.tsx'

const report = (api: HostedApi, token: string) => api.of(verificationContract).reportActivity({ body: { token } })
type Reported = Answer<typeof report>

const mayReset = ({ emailPasswordEnabled, passwordResetEnabled }: Settings) => emailPasswordEnabled && passwordResetEnabled

/** A link to the support address that the operator configured. */
const HelpLink = ({ settings }: { readonly settings: Settings }) => {
  const { t } = useI18n()
  const { support } = settings.brand.links
  return support === undefined ? null : (
    <LinkButton kind="secondary" href={support}>
      {t('notMe.help')}
    </LinkButton>
  )
}

const InvalidLink = ({ settings, replacesForm }: { readonly settings: Settings; readonly replacesForm: boolean }) => {
  const { t } = useI18n()
  useTitle(t('error.link.title'))
  return (
    <MessageCard icon="key" tone="warn" title={t('error.link.title')} text={t('notMe.invalid')} replacesForm={replacesForm}>
      <div className="actions">
        {mayReset(settings) ? (
          <LinkButton href="/forgot-password">{t('reset.title')}</LinkButton>
        ) : (
          <LinkButton href="/sign-in">{t('common.toSignIn')}</LinkButton>
        )}
        <HelpLink settings={settings} />
      </div>
    </MessageCard>
  )
}

const Done = ({ reported, settings }: { readonly reported: Reported; readonly settings: Settings }) => {
  const { t } = useI18n()
  const { email, isNewPasswordMailed } = reported
  useTitle(t('notMe.doneTitle'))
  const text = isNewPasswordMailed ? (
    <Text id="notMe.mailed" values={{ email: <strong className="break">{email}</strong> }} />
  ) : (
    t('notMe.noPassword')
  )
  return (
    <MessageCard icon={isNewPasswordMailed ? 'mail' : 'check'} title={t('notMe.doneTitle')} text={text} replacesForm>
      <WaysIn waysIn={reported.waysIn} removed={reported.removed} email={email} settings={settings} />
      <div className="actions">
        {isNewPasswordMailed ? null : <LinkButton href="/sign-in">{t('common.toSignIn')}</LinkButton>}
        <HelpLink settings={settings} />
      </div>
    </MessageCard>
  )
}

const noFields = [] as const

const Asking = ({ token, onEnd }: { readonly token: string; readonly onEnd: (end: Reported | 'invalid') => void }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  useTitle(t('notMe.title'))
  const form = useForm({
    api,
    fields: noFields,
    check: () => ({}),
    submit: async () => {
      try {
        onEnd(await report(api, token))
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'INVALID_TOKEN')) throw error
        onEnd('invalid')
      }
      return 'done'
    },
  })
  return (
    <MessageCard icon="alert" tone="warn" title={t('notMe.title')} text={t('notMe.text')}>
      <Form state={form} working={t('common.saving')}>
        <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
          {t('notMe.submit')}
        </Button>
      </Form>
    </MessageCard>
  )
}

/** Where notices lead: "this was not me". Programs that read mail open links, but press no buttons. */
export const NotMePage = () => {
  const { resources, query } = useHosted()
  const settings = use(resources.settings())
  const [token] = useState(() => takeToken('/not-me', query))
  const [end, setEnd] = useState<Reported | 'invalid'>()
  if (token === undefined || end === 'invalid') return <InvalidLink settings={settings} replacesForm={end === 'invalid'} />
  return end === undefined ? <Asking token={token} onEnd={setEnd} /> : <Done reported={end} settings={settings} />
}
