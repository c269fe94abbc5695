import { Link } from 'react-router'
import type { auditContract } from '../../../src/audit/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { CopyId, Id, shortened } from './id.tsx'
import { useResourceAddress } from './resource-link.tsx'

/** A resource that a response names: its kind, id and name. */
export type Reference = Answer<WireApi<typeof auditContract>['getEvent']>['actor']

const kinds = ['user', 'application', 'api-key', 'system', 'anonymous'] as const

/** Returns a function that gives the name of a kind of actor. Known kinds have a name in the reader's language. */
export const useKindName = () => {
  const { t } = useI18n()
  return (kind: string): string => {
    const known = kinds.find((one) => one === kind)
    return known === undefined ? kind : t(`console.kind.${known}`)
  }
}

/**
 * The name of a resource as a link to the resource's screen, with a button that copies the id. A deleted resource has no name and is
 * shown by its id.
 */
export const Named = ({ of: { kind, id, name } }: { readonly of: Reference }) => {
  const addressOf = useResourceAddress()
  const nameOf = useKindName()
  if (id === null) return nameOf(kind)
  const address = addressOf(kind, id)
  if (name === null && address === undefined) return <Id id={id} />
  const shown = name ?? <code>{shortened(id)}</code>
  return (
    <span className="named">
      {address === undefined ? (
        <span title={id}>{shown}</span>
      ) : (
        <Link to={address} title={id}>
          {shown}
        </Link>
      )}
      <CopyId id={id} name={name ?? shortened(id)} />
    </span>
  )
}
