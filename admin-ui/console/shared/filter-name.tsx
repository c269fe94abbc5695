import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import { adminApiKeyContract } from '../../../src/api-keys/contract.ts'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import type { ConsoleApi } from '../api.ts'
import { useConsole } from '../api.ts'
import { shortened } from './id.tsx'
import type { Reference } from './named.tsx'
import { useCombobox } from './use-combobox.ts'
import type { List } from './use-list.ts'
import '../styles/filters.css'

/** Delay between the last keystroke and the request, in milliseconds. */
const settledMs = 200
const atMost = 6

interface Option {
  readonly id: string
  readonly name: string
  /** A text that distinguishes things with equal names, for example an email address. */
  readonly detail: string
}

interface Source {
  readonly permission: InstancePermission
  readonly find: (api: ConsoleApi, search: string) => Promise<readonly Option[]>
}

const sources = {
  user: {
    permission: 'users:read',
    find: async (api, search) => {
      const { users } = await api.call(userAdministrationContract, 'adminListUsers', { query: { search, limit: atMost } })
      return users.map(({ id, name, email: detail }) => ({ id, name, detail }))
    },
  },
  application: {
    permission: 'clients:read',
    find: async (api, search) => {
      const { clients } = await api.call(applicationContract, 'listApplications', { query: { search, limit: atMost } })
      return clients.map(({ clientId, name }) => ({ id: clientId, name, detail: clientId }))
    },
  },
  organization: {
    permission: 'all-organizations:read',
    find: async (api, search) => {
      const query = { search, limit: atMost }
      const { organizations } = await api.call(organizationAdministrationContract, 'adminListOrganizations', { query })
      return organizations.map(({ id, name, slug: detail }) => ({ id, name, detail }))
    },
  },
  customer: {
    permission: 'customers:read',
    find: async (api, search) => {
      const { customers } = await api.call(billingAdminContract, 'customers', { query: { search, limit: atMost } })
      return customers.map(({ id, name, email }) => ({ id, name: name ?? email ?? id, detail: email ?? id }))
    },
  },
  'api-key': {
    permission: 'api-keys:read',
    find: async (api, search) => {
      const { apiKeys } = await api.call(adminApiKeyContract, 'adminListApiKeys', { query: { search, limit: atMost } })
      return apiKeys.map(({ id, name, prefix: detail }) => ({ id, name, detail }))
    },
  },
} as const satisfies Readonly<Record<string, Source>>

export type NameKind = keyof typeof sources
export const allKinds: readonly NameKind[] = ['user', 'application', 'organization', 'api-key']

export interface NameKinds<Row> {
  /** The kinds of things among which the filter searches names. */
  readonly kinds: readonly NameKind[]
  /** Returns the things that a row names. If the id in the filter came from the address, the filter finds its name among them. */
  readonly known: (row: Row) => readonly (Reference | null)[]
}

interface FilterNameProps<Row> extends NameKinds<Row> {
  readonly list: List<Row>
  readonly name: string
  readonly label: string
}

/** Searches by name among the kinds that the person may read, a moment after the last keystroke. */
const useOptions = (kinds: readonly NameKind[], text: string) => {
  const { api, access } = useConsole()
  const [search, setSearch] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text.trim()), settledMs)
    return () => clearTimeout(timer)
  }, [text])
  const { data } = useQuery({
    queryKey: ['names', kinds, search],
    queryFn: async () => {
      const readable = kinds
        .map((kind): Source => sources[kind])
        .filter(({ permission }) => access.permissions.includes(permission))
      return (await Promise.all(readable.map(({ find }) => find(api, search).catch(() => [])))).flat()
    },
    enabled: search !== '',
  })
  return search === '' || search !== text.trim() ? undefined : data
}

/** A filter by id. The person selects the id by its name. If the typed text is no known name, the text is used as the id itself. */
export const FilterName = <Row,>({ list, name, label, kinds, known }: FilterNameProps<Row>) => {
  const { t } = useI18n()
  const id = useId()
  const given = list.query[name] ?? ''
  const [text, setText] = useState<string>()
  const [chosen, setChosen] = useState<Option>()
  const options = useOptions(kinds, text ?? '') ?? []
  const isOpen = text !== undefined && options.length > 0
  const { active, reset, moves, input, list: box, optionAt } = useCombobox(label, isOpen ? options.length : 0, -1)
  const nameOf = () => {
    const inRows = (list.rows ?? []).flatMap(known).find((one) => one?.id === given)?.name
    return (chosen?.id === given ? chosen.name : inRows) ?? shortened(given)
  }
  const close = () => {
    setText(undefined)
    reset()
  }
  const apply = (value: string, option?: Option) => {
    setChosen(option)
    close()
    if (value !== given) list.set({ [name]: value })
  }
  return (
    <div className={given === '' ? 'filter filter-names' : 'filter filter-names filter-set'}>
      <label className="filter-name" htmlFor={id}>
        {label}
      </label>
      <input
        {...input}
        id={id}
        className="filter-input"
        value={text ?? (given === '' ? '' : nameOf())}
        title={given === '' ? undefined : given}
        placeholder={t('console.filter.name')}
        autoCapitalize="none"
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          reset()
        }}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onBlur={() => (text?.trim() === '' ? apply('') : close())}
        onKeyDown={(event) => {
          const option = options[active]
          if (event.key === 'Escape' && text !== undefined) close()
          else if (event.key === 'Enter' && text !== undefined) apply(option?.id ?? text.trim(), option)
          else if (!moves(event.key)) return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      {given === '' ? null : (
        <button type="button" className="filter-clear" onClick={() => apply('')}>
          <Icon name="close" size={14} />
          <span className="visually-hidden">{t('console.filter.clear', { name: label })}</span>
        </button>
      )}
      <div {...box} className="filter-options" hidden={!isOpen}>
        {options.map((option, index) => (
          <div
            key={option.id}
            role="option"
            tabIndex={-1}
            {...optionAt(index)}
            className={index === active ? 'filter-option filter-active' : 'filter-option'}
            // `mousedown` comes before the input loses the focus, while `click` comes after it.
            onMouseDown={(event) => {
              event.preventDefault()
              apply(option.id, option)
            }}
          >
            {option.name} <span className="who-detail">{option.detail}</span>
          </div>
        ))}
      </div>
      <span className="visually-hidden" role="status">
        {isOpen ? t('console.filter.found', { count: options.length }) : ''}
      </span>
    </div>
  )
}
