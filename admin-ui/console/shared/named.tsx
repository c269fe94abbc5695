import { Link } from 'react-router'
import type { auditContract } from '../../../src/audit/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { CopyId, Id, shortened } from './id.tsx'
import { useResourceAddress } from './resource-link.tsx'

/** A resource in an answer, with its name. */
export type Reference = Answer<WireApi<typeof auditContract>['getEvent']>['actor']

const kinds = ['user', 'application', 'api-key', 'system', 'anonymous'] as const

/** Returns the name of a kind of actor, translated if the kind is known. */
export const useKindName = () => {
  const { t } = useI18n()
  return (kind: string): string => {
    const known = kinds.find((one) => one === kind)
    return known === undefined ? kind : t(`console.kind.${known}`)
  }
}

/** A resource in an answer. Its name links to its screen, and the icon copies its id. A deleted resource is shown by id. */
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
