// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @title Limits the amounts that agents may move of an owner's tokens
/// @notice An owner permits a spender to move a token for one capability of one agent: up to a limit each time and a
/// cap in total, until an expiry, and only to listed recipients if there is a list. UNAUDITED.
/// @dev It holds no tokens: it moves them from owner to recipient by the owner's ERC-20 allowance, which is therefore a
/// second bound on all permissions of an owner together. It has no administrator, no pause and no upgrade. The
/// values that a constructor would set are constants or read on demand, so the runtime code is the complete contract.
///
/// Whenever a token or an owner's wallet is called, all state has been written already, so no guard against
/// re-entrancy is needed.
contract SpendPermissions is Multicall {
    using EnumerableSet for EnumerableSet.Bytes32Set;
    using SafeERC20 for IERC20;

    /// @notice The terms of a permission. The EIP-712 type has the same fields, then `nonce` and `deadline`.
    struct Permission {
        address owner;
        address spender;
        address token;
        /// The agent's id in the registry, and its capability: the permission's purpose. They are not checked here.
        uint256 agentId;
        string capability;
        /// The maximum of one spend, in the token's atomic units.
        uint256 limit;
        /// The maximum of all spends since the permission was first set.
        uint256 cap;
        /// The first second at which nothing can be spent, in Unix time.
        uint256 expiry;
        /// Empty: any recipient.
        address[] recipients;
    }

    /// @notice The state of a permission.
    struct Status {
        /// Zero: never set, or revoked.
        uint256 limit;
        uint256 cap;
        uint256 spent;
        uint256 expiry;
        /// The nonce of the next signature for this permission.
        uint256 nonce;
        bool isListed;
    }

    /// @dev The values of a permission that a spend reads and writes, in one slot.
    struct Rule {
        uint88 limit;
        uint88 left;
        uint40 expiry;
        uint32 nonce;
        bool isListed;
    }

    /// @notice The largest cap: 2^88 - 1.
    uint256 public constant MAX_CAP = type(uint88).max;
    /// @notice The latest expiry. A time in milliseconds is beyond it.
    uint256 public constant MAX_EXPIRY = type(uint40).max;
    /// @notice The longest list of recipients.
    uint256 public constant MAX_RECIPIENTS = 16;

    bytes32 public constant PERMISSION_TYPEHASH = keccak256(
        "Permission(address owner,address spender,address token,uint256 agentId,string capability,uint256 limit,"
        "uint256 cap,uint256 expiry,address[] recipients,uint256 nonce,uint256 deadline)"
    );
    bytes32 public constant REVOCATION_TYPEHASH = keccak256(
        "Revocation(address owner,address spender,address token,bytes32 scope,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("Farebox Spend Permissions");
    bytes32 private constant VERSION_HASH = keccak256("1");

    mapping(bytes32 id => Rule) private _rules;
    /// @dev The spent amount is `cap - left`, also after a revocation.
    mapping(bytes32 id => uint256) private _caps;
    /// @dev One bit for each ref, so that consecutive refs share a slot.
    mapping(bytes32 id => mapping(uint256 word => uint256 bits)) private _refs;
    /// @dev By the nonce of the setting that listed them, so that a list ends with its setting.
    mapping(bytes32 id => mapping(uint256 nonce => mapping(address recipient => bool))) private _recipients;
    /// @dev Permissions that are set and not revoked, including expired ones.
    mapping(address owner => mapping(address token => EnumerableSet.Bytes32Set)) private _ids;

    /// @param permission the owner's terms: the cap may be below the amount already spent
    /// @param nonce the nonce of the next signature for it
    event PermissionSet(
        address indexed owner,
        address indexed spender,
        bytes32 indexed id,
        Permission permission,
        uint256 spent,
        uint256 nonce
    );
    event PermissionRevoked(
        address indexed owner,
        address indexed spender,
        bytes32 indexed id,
        address token,
        bytes32 scope,
        uint256 nonce
    );
    event PermissionSpent(
        address indexed owner,
        address indexed spender,
        bytes32 indexed id,
        address token,
        address to,
        uint256 amount,
        uint256 ref
    );

    error CallerNotOwner(address caller, address owner);
    error SpenderMissing();
    error TokenWithoutCode(address token);
    error AmountZero();
    error LimitAboveCap(uint256 limit, uint256 cap);
    error CapTooLarge(uint256 cap, uint256 maxCap);
    error ExpiryPassed(uint256 expiry, uint256 blockTime);
    error ExpiryTooLate(uint256 expiry, uint256 maxExpiry);
    error TooManyRecipients(uint256 count, uint256 maxCount);
    error SignatureExpired(uint256 deadline, uint256 blockTime);
    /// @notice Not the owner's signature of exactly these terms, with the current nonce.
    error SignatureInvalid();
    error RefUsed(uint256 ref);
    /// @notice Never set, or revoked.
    error NotPermitted();
    error PermissionExpired(uint256 expiry, uint256 blockTime);
    error AboveLimit(uint256 amount, uint256 limit);
    error AboveCap(uint256 amount, uint256 left);
    error RecipientNotListed(address to);

    /// @notice Sets or changes a permission of the caller. `cap` counts from the first setting: the spent amount is
    /// kept, also after a revocation.
    function set(Permission calldata permission) external {
        if (permission.owner != msg.sender) revert CallerNotOwner(msg.sender, permission.owner);
        _set(permission, scopeOf(permission.agentId, permission.capability));
    }

    /// @notice Like `set`, for an owner that signed it; anyone may submit it. Each setting and each revocation of the
    /// permission invalidates every unused signature for it.
    /// @param deadline the last second at which it may be submitted, signed as well
    /// @param signature 65 bytes, or any bytes that a contract owner accepts (ERC-1271)
    function setBySig(Permission calldata permission, uint256 deadline, bytes calldata signature) external {
        bytes32 scope = scopeOf(permission.agentId, permission.capability);
        bytes32 id = idOf(permission.owner, permission.spender, permission.token, scope);
        _requireSigned(permission.owner, _hash(permission, _rules[id].nonce, deadline), deadline, signature);
        _set(permission, scope);
    }

    /// @notice Ends a permission of the caller at once, and invalidates signatures for it. It need not exist.
    function revoke(address spender, address token, bytes32 scope) external {
        _revoke(msg.sender, spender, token, scope);
    }

    /// @notice Like `revoke`, for an owner that signed it; anyone may submit it.
    function revokeBySig(
        address owner,
        address spender,
        address token,
        bytes32 scope,
        uint256 deadline,
        bytes calldata signature
    ) external {
        uint256 nonce = _rules[idOf(owner, spender, token, scope)].nonce;
        bytes32 hash =
            keccak256(abi.encode(REVOCATION_TYPEHASH, owner, spender, token, scope, nonce, deadline));
        _requireSigned(owner, hash, deadline, signature);
        _revoke(owner, spender, token, scope);
    }

    /// @notice Submits a signed EIP-2612 allowance to a token, for use in a `multicall`. Its failure is ignored:
    /// another account may have submitted it first, and a revocation must not fail with it.
    function permitToken(
        address token,
        address owner,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        try IERC20Permit(token).permit(owner, address(this), value, deadline, v, r, s) {} catch {}
    }

    /// @notice Moves tokens of an owner that permitted the caller.
    /// @param scope `scopeOf` the agent and the capability of the permission
    /// @param amount the decrease of the owner's balance; with a token that takes a fee the recipient gets less
    /// @param ref identifies the purpose of the spend: any number, valid only once for a permission. Of 256 that
    /// differ only in the last byte, all but the first take 17,000 gas less.
    function spend(address owner, address token, bytes32 scope, address to, uint256 amount, uint256 ref)
        external
    {
        bytes32 id = idOf(owner, msg.sender, token, scope);
        uint256 bits = _refs[id][ref >> 8];
        uint256 bit = 1 << (ref & 0xff);
        if (bits & bit != 0) revert RefUsed(ref);
        Rule memory rule = _rules[id];
        if (rule.limit == 0) revert NotPermitted();
        if (block.timestamp >= rule.expiry) revert PermissionExpired(rule.expiry, block.timestamp);
        if (amount == 0) revert AmountZero();
        if (amount > rule.limit) revert AboveLimit(amount, rule.limit);
        if (amount > rule.left) revert AboveCap(amount, rule.left);
        if (rule.isListed && !_recipients[id][rule.nonce][to]) revert RecipientNotListed(to);
        _refs[id][ref >> 8] = bits | bit;
        _rules[id].left = rule.left - uint88(amount);
        emit PermissionSpent(owner, msg.sender, id, token, to, amount, ref);
        IERC20(token).safeTransferFrom(owner, to, amount);
    }

    /// @notice The maximum of a spend now: the smallest of limit, remaining cap, the owner's allowance and the owner's
    /// balance; zero if the permission has expired or was revoked.
    function available(address owner, address spender, address token, bytes32 scope)
        external
        view
        returns (uint256)
    {
        Rule memory rule = _rules[idOf(owner, spender, token, scope)];
        if (block.timestamp >= rule.expiry) return 0;
        uint256 permitted = Math.min(rule.limit, rule.left);
        uint256 held =
            Math.min(IERC20(token).allowance(owner, address(this)), IERC20(token).balanceOf(owner));
        return Math.min(permitted, held);
    }

    /// @notice The remaining amount of all unexpired permissions of an owner in a token: the allowance that this
    /// contract should have.
    function totalLeft(address owner, address token) external view returns (uint256 total) {
        bytes32[] memory ids = permissionsOf(owner, token);
        for (uint256 i = 0; i < ids.length; i++) {
            Rule memory rule = _rules[ids[i]];
            if (block.timestamp < rule.expiry) total += rule.left;
        }
    }

    /// @notice The ids of the permissions of an owner in a token that are set and not revoked, in no particular order.
    function permissionsOf(address owner, address token) public view returns (bytes32[] memory) {
        return _ids[owner][token].values();
    }

    /// @notice The state of a permission; all zeros if it was never set.
    function statusOf(bytes32 id) external view returns (Status memory) {
        Rule memory rule = _rules[id];
        uint256 cap = _caps[id];
        return Status(rule.limit, cap, cap - rule.left, rule.expiry, rule.nonce, rule.isListed);
    }

    /// @notice Whether a spend with this ref was made under a permission.
    function isRefUsed(bytes32 id, uint256 ref) external view returns (bool) {
        return _refs[id][ref >> 8] & (1 << (ref & 0xff)) != 0;
    }

    /// @notice Whether a permission currently allows this recipient.
    function isRecipient(bytes32 id, address to) external view returns (bool) {
        Rule memory rule = _rules[id];
        return rule.limit != 0 && (!rule.isListed || _recipients[id][rule.nonce][to]);
    }

    /// @notice The purpose of a permission, as one word.
    function scopeOf(uint256 agentId, string calldata capability) public pure returns (bytes32) {
        return keccak256(abi.encodePacked(agentId, capability));
    }

    /// @notice The id of a permission: there is one for each owner, spender, token and scope.
    function idOf(address owner, address spender, address token, bytes32 scope) public pure returns (bytes32) {
        return keccak256(abi.encode(owner, spender, token, scope));
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPEHASH, NAME_HASH, VERSION_HASH, block.chainid, address(this)));
    }

    function _set(Permission calldata permission, bytes32 scope) private {
        _requireSettable(permission);
        bytes32 id = idOf(permission.owner, permission.spender, permission.token, scope);
        Rule memory rule = _rules[id];
        uint256 spent = _caps[id] - rule.left;
        // A cap below the spent amount leaves nothing, and is stored as the spent amount, which never exceeds it.
        uint256 cap = Math.max(permission.cap, spent);
        uint32 nonce = rule.nonce + 1;
        _rules[id] = Rule({
            limit: uint88(permission.limit),
            left: uint88(cap - spent),
            expiry: uint40(permission.expiry),
            nonce: nonce,
            isListed: permission.recipients.length > 0
        });
        _caps[id] = cap;
        for (uint256 i = 0; i < permission.recipients.length; i++) {
            _recipients[id][nonce][permission.recipients[i]] = true;
        }
        _ids[permission.owner][permission.token].add(id);
        emit PermissionSet(permission.owner, permission.spender, id, permission, spent, nonce);
    }

    function _revoke(address owner, address spender, address token, bytes32 scope) private {
        bytes32 id = idOf(owner, spender, token, scope);
        Rule memory rule = _rules[id];
        uint32 nonce = rule.nonce + 1;
        _caps[id] -= rule.left;
        _rules[id] = Rule({limit: 0, left: 0, expiry: 0, nonce: nonce, isListed: false});
        _ids[owner][token].remove(id);
        emit PermissionRevoked(owner, spender, id, token, scope, nonce);
    }

    function _requireSettable(Permission calldata permission) private view {
        (uint256 limit, uint256 cap, uint256 expiry) = (permission.limit, permission.cap, permission.expiry);
        uint256 count = permission.recipients.length;
        if (permission.spender == address(0)) revert SpenderMissing();
        if (permission.token.code.length == 0) revert TokenWithoutCode(permission.token);
        if (limit == 0) revert AmountZero();
        if (limit > cap) revert LimitAboveCap(limit, cap);
        if (cap > MAX_CAP) revert CapTooLarge(cap, MAX_CAP);
        if (expiry <= block.timestamp) revert ExpiryPassed(expiry, block.timestamp);
        if (expiry > MAX_EXPIRY) revert ExpiryTooLate(expiry, MAX_EXPIRY);
        if (count > MAX_RECIPIENTS) revert TooManyRecipients(count, MAX_RECIPIENTS);
    }

    /// @dev The struct's hash (EIP-712). An address in a list is padded to a word, as `abi.encodePacked` does.
    function _hash(Permission calldata permission, uint256 nonce, uint256 deadline)
        private
        pure
        returns (bytes32)
    {
        bytes memory who = abi.encode(
            PERMISSION_TYPEHASH,
            permission.owner,
            permission.spender,
            permission.token,
            permission.agentId,
            keccak256(bytes(permission.capability))
        );
        bytes memory what = abi.encode(
            permission.limit,
            permission.cap,
            permission.expiry,
            keccak256(abi.encodePacked(permission.recipients)),
            nonce,
            deadline
        );
        return keccak256(bytes.concat(who, what));
    }

    /// @dev An ordinary wallet signs 65 bytes with a low s; an account with code is asked in a static call.
    function _requireSigned(address owner, bytes32 structHash, uint256 deadline, bytes calldata signature)
        private
        view
    {
        if (block.timestamp > deadline) revert SignatureExpired(deadline, block.timestamp);
        bytes32 digest = MessageHashUtils.toTypedDataHash(DOMAIN_SEPARATOR(), structHash);
        if (!SignatureChecker.isValidSignatureNowCalldata(owner, digest, signature)) revert SignatureInvalid();
    }
}
