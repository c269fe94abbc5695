import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import { useConsole, usePermission } from '../api.ts'
import { Id, shortened } from './id.tsx'

/** A person by name, who leads to their screen; by id for whoever may not read people. */
export const PersonName = ({ id }: { readonly id: string }) => {
  const { api } = useConsole()
  const { isAllowed } = usePermission('users:read')
  const { data } = useQuery({
    ...api.query(userAdministrationContract, 'adminGetUser', { params: { id } }),
    enabled: isAllowed,
  })
  return isAllowed ? <Link to={`/admin/users/${encodeURIComponent(id)}`}>{data?.name ?? shortened(id)}</Link> : <Id id={id} />
}
