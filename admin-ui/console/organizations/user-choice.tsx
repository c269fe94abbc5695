import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import { Field, FieldFrame } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useConsole, usePermission } from '../api.ts'
import '../styles/organizations.css'

/** Delay between the last keystroke and the request, in milliseconds. */
const settledMs = 200
const atMost = 6

export interface ChosenUser {
  readonly id: string
  readonly name: string
  readonly email: string
}

interface UserChoiceProps {
  readonly label: string
  readonly hint: string
  readonly error?: string | undefined
  readonly chosen: ChosenUser | undefined
  readonly onChoose: (user: ChosenUser | undefined) => void
}

/** Users that match the typed text. They are requested a moment after the last keystroke. */
const useFound = (text: string) => {
  const { api } = useConsole()
  const [search, setSearch] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text.trim()), settledMs)
    return () => clearTimeout(timer)
  }, [text])
  const { data } = useQuery({
    ...api.query(userAdministrationContract, 'adminListUsers', { query: { search, limit: atMost } }),
    enabled: search !== '',
  })
  return search === '' || search !== text.trim() ? undefined : data?.users
}

const SearchField = ({ label, hint, error, onChoose }: UserChoiceProps) => {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const found = useFound(text)
  const [first] = found ?? []
  return (
    <div>
      <FieldFrame label={label} error={error} hint={found?.length === 0 ? t('organizations.nobodyFound') : hint} isLive>
        {(control) => (
          <input
            {...control}
            name="user"
            type="search"
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              // Enter selects the first user of the list. Otherwise Enter would send the form.
              event.preventDefault()
              if (first !== undefined) onChoose(first)
            }}
          />
        )}
      </FieldFrame>
      {found === undefined || found.length === 0 ? null : (
        <ul className="found">
          {found.map((user) => (
            <li key={user.id}>
              <button type="button" className="found-user" onClick={() => onChoose(user)}>
                {user.name} <span className="who-detail">{user.email}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** A field for a user's id. It is used by people without the permission to read users. */
const IdField = ({ label, error, chosen, onChoose }: UserChoiceProps) => {
  const { t } = useI18n()
  return (
    <Field
      name="user"
      label={label}
      hint={t('organizations.userId')}
      error={error}
      value={chosen?.id ?? ''}
      autoComplete="off"
      onValue={(value) => {
        const id = value.trim()
        onChoose(id === '' ? undefined : { id, name: value, email: id })
      }}
    />
  )
}

/** A field that selects a user by name or email address. */
export const UserChoice = (props: UserChoiceProps) => {
  const { t } = useI18n()
  const { isAllowed } = usePermission('users:read')
  const { label, chosen, onChoose } = props
  if (!isAllowed) return <IdField {...props} />
  if (chosen === undefined) return <SearchField {...props} />
  return (
    <div className="field">
      <span className="chosen-label">{label}</span>
      <div className="chosen">
        <span className="who-text">
          {chosen.name}
          <span className="who-detail">{chosen.email}</span>
        </span>
        <Button kind="secondary" onClick={() => onChoose(undefined)}>
          {t('organizations.chooseOther')}
        </Button>
      </div>
      <div className="field-message" />
    </div>
  )
}
