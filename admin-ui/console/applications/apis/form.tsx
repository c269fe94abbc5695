import { useState } from 'react'
import { apiContract } from '../../../../src/oidc/resource-servers/contract.ts'
import { Field, SelectField } from '../../../shared/field.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { Confirm } from '../../shared/confirm.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { useChange } from '../../shared/use-change.ts'
import { LinesField } from '../fields.tsx'
import { type Api, callerLine, callersOf, scopeLine, scopesOf } from './lines.ts'

interface FormProps {
  /** The API that the form changes. Undefined if the form registers a new API. */
  readonly api: Api | undefined
  readonly onSaved: (api: Pick<Api, 'id'>) => void
  readonly onClose: () => void
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A form that registers or changes an API. The identifier of an API can never be changed. */
export const ApiForm = ({ api, onSaved, onClose }: FormProps) => {
  const { t } = useI18n()
  const { api: calls } = useConsole()
  const [scopes, setScopes] = useState(api?.scopes.map(scopeLine).join('\n') ?? '')
  const [clients, setClients] = useState(api?.clients.map(callerLine).join('\n') ?? '')
  const create = useChange(apiContract, 'createApi', t('apis.made'))
  const update = useChange(apiContract, 'updateApi', t('clients.saved'))
  const bodyOf = (form: FormData) => ({
    name: String(form.get('name') ?? '').trim(),
    scopes: scopesOf(scopes, api?.scopes ?? []),
    clients: callersOf(clients),
    tokenFormat: String(form.get('tokenFormat')),
    signingAlg: String(form.get('signingAlg')),
    tokenTtlSeconds: Number(form.get('tokenTtlSeconds')),
    access: String(form.get('access')),
  })
  const identifierOf = (form: FormData) => String(form.get('identifier') ?? '').trim()
  const flagsOf = (body: ReturnType<typeof bodyOf>) => [
    ...['--name', body.name, ...linesOf(scopes).flatMap((line) => ['--scope', line])],
    ...(body.clients.length === 0 ? ['--client', ''] : body.clients.flatMap((client) => ['--client', callerLine(client)])),
    ...['--token-format', body.tokenFormat, '--signing-alg', body.signingAlg],
    ...['--token-ttl', String(body.tokenTtlSeconds), '--access', body.access],
  ]
  const title = api === undefined ? t('apis.new') : t('apis.edit', { name: api.name })
  return (
    <Confirm
      title={title}
      consequences={[]}
      action={api === undefined ? t('apis.new') : t('console.form.save')}
      isDangerous={false}
      onConfirm={async (reason, form) => {
        const body = bodyOf(form)
        onSaved(
          api === undefined
            ? await create({ body: { ...body, identifier: identifierOf(form) } as never, reason })
            : await update({ params: { apiId: api.id }, body: body as never, reason, ifMatch: calls.etagOf(api) }),
        )
      }}
      onClose={onClose}
      foot={
        <ShowCall
          of={({ form }) => {
            const body = bodyOf(form)
            return api === undefined
              ? {
                  target: apiContract.createApi,
                  input: { body: { ...body, identifier: identifierOf(form) } },
                  command: ['create-api', identifierOf(form), ...flagsOf(body)],
                }
              : {
                  target: apiContract.updateApi,
                  input: { params: { apiId: api.id }, body },
                  command: ['update-api', api.identifier, ...flagsOf(body)],
                }
          }}
        />
      }
    >
      {api === undefined ? (
        <Field name="identifier" label={t('apis.identifier')} hint={t('apis.identifierHint')} autoComplete="off" autoFocus />
      ) : null}
      <Field name="name" label={t('clients.name')} autoComplete="off" maxLength={200} defaultValue={api?.name ?? ''} />
      <LinesField
        name="scopes"
        label={t('apis.scopes')}
        hint={t('apis.scopesHint')}
        value={scopes}
        placeholder="orders:read=See your orders"
        onValue={setScopes}
      />
      <LinesField
        name="clients"
        label={t('apis.clients')}
        hint={t('apis.clientsHint')}
        value={clients}
        placeholder="shop"
        onValue={setClients}
      />
      <SelectField
        name="access"
        label={t('apis.access')}
        defaultValue={api?.access ?? 'listed'}
        options={(['listed', 'all'] as const).map((value) => ({ value, text: t(`apis.access.${value}`) }))}
      />
      <SelectField
        name="tokenFormat"
        label={t('apis.format')}
        defaultValue={api?.tokenFormat ?? 'jwt'}
        options={(['jwt', 'opaque'] as const).map((value) => ({ value, text: t(`apis.format.${value}`) }))}
      />
      <SelectField
        name="signingAlg"
        label={t('apis.alg')}
        defaultValue={api?.signingAlg ?? 'RS256'}
        options={['RS256', 'PS256', 'ES256', 'EdDSA'].map((value) => ({ value, text: value }))}
      />
      <Field
        name="tokenTtlSeconds"
        label={t('apis.ttl')}
        type="number"
        autoComplete="off"
        defaultValue={String(api?.tokenTtlSeconds ?? 600)}
      />
    </Confirm>
  )
}
