import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { explanationContract } from '../../../src/authentication/explanation/contract.ts'
import { Field, SelectField } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Empty } from '../shared/empty.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Account, Story, Verdict } from './story.tsx'

/** What a search can start from: an email address, a user id, a request id or an IP address. The names are those of the endpoint. */
const kinds = ['email', 'user', 'request', 'address'] as const
type Kind = (typeof kinds)[number]

interface Asked {
  readonly kind: Kind
  readonly value: string
}

const AskForm = ({ asked, onAsk }: { readonly asked: Asked | undefined; readonly onAsk: (asked: Asked) => void }) => {
  const { t } = useI18n()
  const [error, setError] = useState<string>()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const value = String(form.get('value') ?? '').trim()
    setError(value === '' ? t('history.valueMissing') : undefined)
    if (value === '') event.currentTarget.querySelector('input')?.focus()
    else onAsk({ kind: kinds.find((one) => one === form.get('kind')) ?? 'email', value })
  }
  return (
    <form className="ask" noValidate onSubmit={submit} aria-label={t('history.whose')}>
      <SelectField
        name="kind"
        label={t('history.by')}
        defaultValue={asked?.kind ?? 'email'}
        options={kinds.map((kind) => ({ value: kind, text: t(`history.by.${kind}`) }))}
      />
      <Field
        name="value"
        label={t('history.value')}
        autoComplete="off"
        error={error}
        autoFocus={asked === undefined}
        defaultValue={asked?.value}
      />
      <Button type="submit">{t('history.explain')}</Button>
    </form>
  )
}

const Explained = ({ asked: { kind, value } }: { readonly asked: Asked }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const input = { query: { [kind]: value } }
  const { data, error, refetch } = useQuery(api.query(explanationContract, 'explainSignIn', input))
  if (data === undefined)
    return error === null ? (
      <div aria-busy="true">
        <p className="visually-hidden">{t('console.table.loading')}</p>
        <span className="placeholder bone-block" />
      </div>
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    )
  return (
    <>
      <Verdict
        verdict={data.verdict}
        call={
          <ShowCall
            target={explanationContract.explainSignIn}
            input={input}
            command={['explain-sign-in', `--${kind}`, value]}
            isQuery
          />
        }
      />
      {data.account === null ? null : <Account account={data.account} />}
      <Story entries={data.entries} isCut={data.isCut} />
    </>
  )
}

/** The screen that explains why a person cannot sign in. What was searched for is in the query string of the URL. */
export const ExplanationScreen = () => {
  const { t } = useI18n()
  const [address, setAddress] = useSearchParams()
  const kind = kinds.find((one) => address.has(one))
  const asked = kind === undefined ? undefined : { kind, value: address.get(kind) ?? '' }
  return (
    <Page title={t('history.explanation')} lead={t('history.explanationLead')}>
      <AskForm key={`${asked?.kind} ${asked?.value}`} asked={asked} onAsk={(next) => setAddress({ [next.kind]: next.value })} />
      {asked === undefined ? (
        <Empty icon="search" title={t('history.ask')} text={t('history.askText')} />
      ) : (
        <Explained asked={asked} />
      )}
    </Page>
  )
}
