import { type ReactNode, useState } from 'react'
import { ApiError } from '../../src/http/client.ts'
import { Form, useForm } from '../shared/form.tsx'
import { useI18n } from '../shared/text.tsx'
import { Button } from '../shared/ui.tsx'
import { useHosted } from './context.tsx'
import { takeToken } from './token.ts'

const noFields = [] as const

/** Functions that the page calls after the link was used. */
export interface Endings<Ended> {
  readonly onDone: (end: Ended) => void
  /** Called if the link turns out to be used, expired or unknown. */
  readonly onGone: () => void
}

interface ConfirmationProps<Ended> extends Endings<Ended> {
  /** Label of the button. */
  readonly label: string
  /** Makes the call that uses the link. */
  readonly send: () => Promise<Ended>
  /** The error code with which the server reports an invalid link. */
  readonly goneCode: string
}

/** The button that uses the link. Opening the link has no effect, because programs that read mail open links; but they press no buttons. */
export const Confirmation = <Ended,>({ label, send, goneCode, onDone, onGone }: ConfirmationProps<Ended>) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const form = useForm({
    api,
    fields: noFields,
    check: () => ({}),
    submit: async () => {
      try {
        onDone(await send())
      } catch (error) {
        if (!(error instanceof ApiError && error.code === goneCode)) throw error
        onGone()
      }
      return 'done'
    },
  })
  return (
    <Form state={form} working={t('common.saving')}>
      <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
        {label}
      </Button>
    </Form>
  )
}

interface EndByLinkProps<Ended> {
  readonly path: string
  /** Renders the question before the link is used. It contains a `Confirmation`. */
  readonly ask: (token: string, endings: Endings<Ended>) => ReactNode
  /** Renders the message that is shown when the link has been used. */
  readonly done: (end: Ended) => ReactNode
  /** Renders the message that is shown for an invalid link. `replacesForm` is true if the question was shown before. */
  readonly gone: (replacesForm: boolean) => ReactNode
}

/** The page of a mailed link that stops or ends something. The page asks first, and then shows the result. */
export const EndByLink = <Ended,>({ path, ask, done, gone }: EndByLinkProps<Ended>) => {
  const { query } = useHosted()
  const [token] = useState(() => takeToken(path, query))
  const [end, setEnd] = useState<{ readonly value: Ended } | 'gone'>()
  if (token === undefined || end === 'gone') return gone(end === 'gone')
  if (end !== undefined) return done(end.value)
  return ask(token, { onDone: (value) => setEnd({ value }), onGone: () => setEnd('gone') })
}
