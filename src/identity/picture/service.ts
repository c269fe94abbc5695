import type { PersonPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { lockRow, type Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import type { ImageOwner, Images } from '../../images/index.ts'
import type { Users } from '../users/index.ts'

interface Deps extends Pick<Core, 'transact'> {
  readonly users: Pick<Users, 'find' | 'change'>
  readonly images: Images
}

const ownerOf = (ownerId: string): ImageOwner => ({ kind: 'user-picture', ownerId })

/** Uploaded pictures of users. A user's `image` may also be an address on another server. gatehouse never fetches that address. */
export const createPictures = ({ transact, users, images }: Deps) => {
  const setImage = async (tx: Tx, principal: PersonPrincipal, image: string | null) => {
    if (!(await users.change(tx, principal, principal.user.id, { image }))) throw coreErrors.error('UNAUTHORIZED')
  }
  return {
    /** Stores an uploaded picture and returns its address. Throws INVALID_IMAGE. */
    set: async (principal: PersonPrincipal, source: Buffer): Promise<string> => {
      const prepared = await images.prepare(ownerOf(principal.user.id), source)
      return transact(async (tx) => {
        await lockRow(tx, 'user', principal.user.id)
        const { url } = await images.put(tx, prepared)
        await setImage(tx, principal, url)
        return url
      })
    },
    remove: (principal: PersonPrincipal): Promise<void> =>
      transact(async (tx) => {
        await lockRow(tx, 'user', principal.user.id)
        await setImage(tx, principal, null)
      }),
    /** Deletes a user's uploaded picture when the user now has another picture or none. */
    forgetUnused: async (tx: Tx, userId: string): Promise<void> => {
      const kept = await images.find(tx, ownerOf(userId))
      if (kept !== undefined && (await users.find(tx, userId))?.image !== kept.url) await images.remove(tx, ownerOf(userId))
    },
  }
}
