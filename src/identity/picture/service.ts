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

/** Stores pictures that users upload. The `image` of a user may also be a URL on another server. Gatehouse never loads such a URL. */
export const createPictures = ({ transact, users, images }: Deps) => {
  const setImage = async (tx: Tx, principal: PersonPrincipal, image: string | null) => {
    if (!(await users.change(tx, principal, principal.user.id, { image }))) throw coreErrors.error('UNAUTHORIZED')
  }
  return {
    /** Stores an uploaded picture and returns its URL. Throws INVALID_IMAGE. */
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
    /** Deletes the uploaded picture of a user who now has another picture, or none. */
    forgetUnused: async (tx: Tx, userId: string): Promise<void> => {
      const kept = await images.find(tx, ownerOf(userId))
      if (kept !== undefined && (await users.find(tx, userId))?.image !== kept.url) await images.remove(tx, ownerOf(userId))
    },
  }
}
