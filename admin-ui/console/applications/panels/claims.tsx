import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { WireApi } from '../../../../src/http/contract.ts'
import { applicationContract } from '../../../../src/oidc/clients/contract.ts'
import type { Answer } from '../../../shared/api.ts'
import { Field } from '../../../shared/field.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { Button } from '../../../shared/ui.tsx'
import { useConsole, usePermission } from '../../api.ts'
import { CopyField } from '../../shared/copy-field.tsx'
import { Panel } from '../../shared/facts.tsx'
import { useProblem } from '../../shared/failure.tsx'
import { DeniedNote } from '../../shared/query-panel.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { useClaimWords } from '../claim-words.ts'
import type { Application } from '../parts.tsx'

type Asked = {
  readonly user: string
  readonly organization?: string
}

const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()

interface ClaimEntriesProps {
  readonly claims: Answer<WireApi<typeof applicationContract>['previewClaims']>['claims']
}

/** A table of claims with their values and sources, followed by the JSON object that the application receives. */
export const ClaimEntries = ({ claims }: ClaimEntriesProps) => {
  const { t } = useI18n()
  const words = useClaimWords()
  return (
    <>
      <ul className="entries">
        {claims.map(({ name, value, scope, origins }) => (
          <li key={name} className="entry">
            <div className="entry-text">
              <p className="entry-title">
                <code>{name}</code>
                <span className="entry-aside">{t('clients.claimScope', { scope })}</span>
              </p>
              <p className="break">
                <code>{JSON.stringify(value)}</code>
              </p>
              <p className="entry-detail">{words.claim(name)}</p>
              {origins.map(({ rule, row }) => (
                <p key={`${rule} ${row}`} className="entry-detail break">
                  {t('clients.claimOrigin', { rule, row })}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ul>
      <div className="panel-fields">
        <CopyField
          label={t('clients.claimsJson')}
          value={JSON.stringify(Object.fromEntries(claims.map(({ name, value }) => [name, value])), null, 2)}
          isBlock
        />
      </div>
    </>
  )
}

const Preview = ({ clientId, asked }: { readonly clientId: string; readonly asked: Asked }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const problem = useProblem()
  const input = { params: { clientId }, query: asked }
  const { data, error } = useQuery({ ...api.query(applicationContract, 'previewClaims', input), retry: false })
  const foot = (
    <div className="panel-foot">
      <ShowCall
        target={applicationContract.previewClaims}
        input={input}
        command={[
          ...['explain', '--user', asked.user, '--client', clientId],
          ...(asked.organization === undefined ? [] : ['--org', asked.organization]),
        ]}
        isQuery
      />
    </div>
  )
  if (error !== null)
    return (
      <>
        <p className="panel-note field-error" role="alert">
          {problem(error)}
        </p>
        {foot}
      </>
    )
  if (data === undefined) return <span className="placeholder bone-line entry" />
  return (
    <div role="status">
      <p className="panel-note">
        {t(data.organization === null ? 'clients.claimsOf' : 'clients.claimsFor', {
          name: data.user.name,
          organization: data.organization?.name ?? '',
        })}
      </p>
      {data.isPartial ? <p className="panel-note">{t('clients.claimsPartial')}</p> : null}
      <ClaimEntries claims={data.claims} />
      {foot}
    </div>
  )
}

/** Shows which claims an application would get about a chosen person, and the source of each claim. No sign-in is needed. */
export const ClaimsPanel = ({ application: { clientId } }: { readonly application: Application }) => {
  const { t } = useI18n()
  const { isAllowed } = usePermission('users:read')
  const [asked, setAsked] = useState<Asked>()
  const [isMissing, setIsMissing] = useState(false)
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const user = textOf(form, 'claimsUser')
    const organization = textOf(form, 'claimsOrganization')
    setIsMissing(user === '')
    if (user === '') event.currentTarget.querySelector('input')?.focus()
    else setAsked({ user, ...(organization === '' ? {} : { organization }) })
  }
  return (
    <Panel title={t('clients.claims')}>
      {isAllowed ? (
        <>
          <form className="panel-fields" noValidate onSubmit={onSubmit}>
            <Field
              name="claimsUser"
              label={t('clients.claimsUser')}
              autoComplete="off"
              error={isMissing ? t('clients.claimsUserMissing') : undefined}
              hint={t('clients.claimsUserHint')}
            />
            <Field
              name="claimsOrganization"
              label={t('clients.claimsOrganization')}
              autoComplete="off"
              hint={t('clients.claimsOrganizationHint')}
              isOptional
            />
            <div>
              <Button kind="secondary" type="submit">
                {t('clients.claimsShow')}
              </Button>
            </div>
          </form>
          {asked === undefined ? null : <Preview clientId={clientId} asked={asked} />}
        </>
      ) : (
        <DeniedNote permission="users:read" />
      )}
    </Panel>
  )
}
