import { Link } from 'react-router'
import { useConsole } from '../api.ts'
import { Id, shortened } from './id.tsx'

/** The address of the screens for each kind of resource. Kinds have the names that audit events use. */
const homes: Readonly<Record<string, string>> = {
  user: '/admin/users',
  client: '/admin/clients',
  application: '/admin/clients',
  organization: '/admin/organizations',
  customer: '/admin/billing/customers',
  delivery: '/admin/billing/deliveries',
  'api-key': '/admin/api-keys',
  api_key: '/admin/api-keys',
}

/**
 * Returns a function that gives the address of a resource's screen. It returns undefined if there is no such screen, or if the person may
 * not open it.
 */
export const useResourceAddress = () => {
  const { screens } = useConsole()
  return (kind: string, id: string): string | undefined => {
    const home = homes[kind]
    return home !== undefined && screens.has(home) ? `${home}/${encodeURIComponent(id)}` : undefined
  }
}

/** An id that links to the screen of its resource. If there is no such screen, the id can be copied. */
export const ResourceLink = ({ kind, id }: { readonly kind: string; readonly id: string }) => {
  const address = useResourceAddress()(kind, id)
  return address === undefined ? (
    <Id id={id} />
  ) : (
    <Link to={address} title={id}>
      <code>{shortened(id)}</code>
    </Link>
  )
}
