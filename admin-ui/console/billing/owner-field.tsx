import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { FieldFrame } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import type { ConsoleApi } from '../api.ts'
import { useConsole } from '../api.ts'

/** A user or organization that can own a customer. */
export interface Owner {
  readonly kind: 'user' | 'organization'
  readonly id: string
  readonly name: string
  readonly detail: string
}

/** Delay between the last keystroke and the request, in milliseconds. */
const settledMs = 200
const atMost = 5

/** Finds users or organizations by words of their names or by id. */
const findOwners = async (api: ConsoleApi, kind: Owner['kind'], text: string): Promise<readonly Owner[]> => {
  const query = { search: text, limit: atMost }
  if (kind === 'user') {
    const { users } = await api.call(userAdministrationContract, 'adminListUsers', { query })
    const byId =
      users.length > 0 || text.includes(' ')
        ? []
        : [api.call(userAdministrationContract, 'adminGetUser', { params: { id: text } })]
    const found = [...users, ...(await Promise.allSettled(byId)).flatMap((one) => (one.status === 'fulfilled' ? one.value : []))]
    return found.map(({ id, name, email }) => ({ kind, id, name, detail: email }))
  }
  const { organizations } = await api.call(organizationAdministrationContract, 'adminListOrganizations', { query })
  const byId =
    organizations.length > 0 || text.includes(' ')
      ? []
      : [api.call(organizationAdministrationContract, 'adminGetOrganization', { params: { id: text } })]
  const found = [
    ...organizations,
    ...(await Promise.allSettled(byId)).flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
  ]
  return found.map(({ id, name, slug }) => ({ kind, id, name, detail: slug }))
}

interface OwnerFieldProps {
  readonly chosen: Owner | undefined
  readonly onChoose: (owner: Owner | undefined) => void
}

/** A field that searches users and organizations, and selects one of them as the owner. */
export const OwnerField = ({ chosen, onChoose }: OwnerFieldProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const id = useId()
  const [kind, setKind] = useState<Owner['kind']>('user')
  const [typed, setTyped] = useState('')
  const [text, setText] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setText(typed.trim()), settledMs)
    return () => clearTimeout(timer)
  }, [typed])
  const { data: found } = useQuery({
    queryKey: ['owners', kind, text],
    queryFn: () => findOwners(api, kind, text),
    enabled: text !== '',
  })
  return (
    <>
      <fieldset className="choices choices-row">
        <legend className="visually-hidden">{t('billing.whose')}</legend>
        {(['user', 'organization'] as const).map((one) => (
          <label key={one} className="check">
            <input
              type="radio"
              name={`${id}-kind`}
              checked={kind === one}
              onChange={() => {
                setKind(one)
                onChoose(undefined)
              }}
            />
            {t(one === 'user' ? 'billing.aUser' : 'billing.anOrganization')}
          </label>
        ))}
      </fieldset>
      <FieldFrame
        label={t(kind === 'user' ? 'billing.find' : 'billing.findOrganization')}
        hint={found?.length === 0 ? t('billing.findNone') : ''}
        isLive
      >
        {(control) => (
          <input
            {...control}
            type="search"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value)
              onChoose(undefined)
            }}
          />
        )}
      </FieldFrame>
      {found === undefined || found.length === 0 ? null : (
        <fieldset className="choices">
          <legend className="visually-hidden">{t('billing.whose')}</legend>
          {found.map((owner) => (
            <label key={owner.id} className="check">
              <input type="radio" name={`${id}-owner`} checked={chosen?.id === owner.id} onChange={() => onChoose(owner)} />
              <span>
                {owner.name} <span className="who-detail">{owner.detail}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  )
}
