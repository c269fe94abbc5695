import { z } from 'zod'
import { emailInput, nameInput, pictureInput, plainText } from '../../../../core/wire.ts'
import { contract } from '../../../../http/contract.ts'
import { AdministeredUser, Language, UserId, userList, userShapes, userTag } from '../../contract.ts'
import { usernameInput } from '../../names/contract.ts'

/** The fields of a user that administrators can change, including those in `users.fields`. A request with an unknown field is refused. */
export const PatchUser = z
  .looseObject({
    name: nameInput.optional(),
    image: pictureInput.nullable().optional(),
    language: Language.nullable().optional(),
    email: emailInput.optional(),
    /** Only `true` is allowed. To make an address unverified, change it: a new address is always unverified. */
    emailVerified: z.literal(true).optional(),
    /** Null removes the user name. Used only on an instance with user names. */
    username: usernameInput.nullable().optional(),
    displayUsername: plainText(100).nullable().optional(),
  })
  .register(userShapes, { shape: 'operator' })

export const ListUsers = z.object({
  searchValue: plainText(200).optional(),
  searchField: z.enum(['email', 'name', 'username']).default('email'),
  searchOperator: z.enum(['contains', 'starts_with', 'ends_with']).default('contains'),
  /** 0 means the default. */
  limit: z.coerce.number<string | number>().int().min(0).max(1000).optional(),
  offset: z.coerce.number<string | number>().int().min(0).max(10_000).optional(),
  sortBy: z.enum(['createdAt', 'name', 'email']).default('createdAt'),
  sortDirection: z.enum(['asc', 'desc']).default('asc'),
  filterField: z.enum(['id', 'email', 'role', 'emailVerified', 'banned', 'createdAt']).optional(),
  filterValue: plainText(254).optional(),
  filterOperator: z.enum(['eq', 'ne', 'lt', 'lte', 'gt', 'gte']).default('eq'),
})

const nameErrors = [
  '400 USERNAME_TOO_SHORT',
  '400 USERNAME_TOO_LONG',
  '400 INVALID_USERNAME',
  'INVALID_DISPLAY_USERNAME',
  'USERNAME_IS_ALREADY_TAKEN',
] as const

export const userAdministrationContract = contract('Users', {
  adminListUsers: {
    method: 'GET',
    path: '/admin/users',
    summary: 'List users page by page; searches by name, address and user name',
    access: { permission: 'users:read' },
    ...userList,
    errors: [],
  },
  adminGetUser: {
    method: 'GET',
    path: '/admin/users/:id',
    summary: 'Get one user',
    access: { permission: 'users:read' },
    params: z.object({ id: UserId }),
    response: AdministeredUser,
    etag: userTag,
    errors: ['NOT_FOUND'],
  },
  adminPatchUser: {
    method: 'PATCH',
    path: '/admin/users/:id',
    summary:
      'Change name, picture, language, configured fields, address or user name of a user; another address needs a fresh session',
    access: { permission: 'users:update' },
    params: z.object({ id: UserId }),
    body: PatchUser,
    response: AdministeredUser,
    etag: userTag,
    ifMatch: userTag,
    errors: ['SESSION_IS_NOT_FRESH', 'NOT_FOUND', 'INVALID_EMAIL', 'USER_ALREADY_EXISTS', ...nameErrors],
  },
  listUsers: {
    method: 'GET',
    path: '/admin/list-users',
    summary: 'List users for the admin client of Better Auth',
    access: { permission: 'users:read' },
    query: ListUsers,
    response: z.object({
      users: z.array(AdministeredUser),
      total: z.int(),
      limit: z.int().optional(),
      offset: z.int().optional(),
    }),
    errors: [],
  },
  getUser: {
    method: 'GET',
    path: '/admin/get-user',
    summary: 'Get one user for the admin client of Better Auth',
    access: { permission: 'users:read' },
    query: z.object({ id: UserId }),
    response: AdministeredUser,
    errors: ['404 USER_NOT_FOUND'],
  },
  adminUpdateUser: {
    method: 'POST',
    path: '/admin/update-user',
    summary: 'Change a user for the admin client of Better Auth',
    access: { permission: 'users:update' },
    body: z.object({ userId: UserId, data: PatchUser }),
    response: AdministeredUser,
    errors: [
      'SESSION_IS_NOT_FRESH',
      '404 USER_NOT_FOUND',
      'NO_DATA_TO_UPDATE',
      'INVALID_EMAIL',
      'USER_ALREADY_EXISTS',
      ...nameErrors,
    ],
  },
})
