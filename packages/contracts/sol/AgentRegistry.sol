// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title Agents that are registered with a stake
/// @notice Each token is an agent: its id is the agent's number, its metadata the agent's endpoint. A stake is
/// held for it as long as it is registered and is sent to its owner when the owner deregisters it. There is no
/// administrator, no pause and no upgrade: only the owner can take a stake, and no one can withhold it.
///
/// Agents can be transferred and sold like any ERC-721 token. The stake goes with the token: its owner at the time
/// of the deregistration is paid, regardless of who staked. Approving an operator therefore means trusting it with
/// the stake, because it may move the token to itself; it may not act for the owner here.
///
/// Not audited. An endpoint is any bytes that its owner chose; readers must check them.
/// @dev The values that a constructor would set are constants, so the runtime code is the complete registry and can
/// be placed at any address of a local chain. Ether that is forced into it (such as a block reward) belongs to no
/// one: the registry's debt is counted in agents, never read from its balance.
contract AgentRegistry is ERC721, ReentrancyGuardTransient {
    /// @notice The stake of each agent, in wei.
    uint256 public constant STAKE = 0.001 ether;

    /// @notice The longest endpoint, in bytes.
    uint256 public constant MAX_ENDPOINT_BYTES = 2048;

    /// @notice The last assigned id; 0 before the first. An id is never assigned again.
    uint256 public lastAgentId;

    uint256 private _deregistered;
    mapping(uint256 agentId => string) private _endpoints;

    event AgentRegistered(uint256 indexed agentId, address indexed owner, string endpoint, uint256 stake);
    event EndpointUpdated(uint256 indexed agentId, address indexed owner, string endpoint);
    event AgentDeregistered(uint256 indexed agentId, address indexed owner, uint256 stake);

    error WrongStake(uint256 sentWei, uint256 requiredWei);
    error EndpointEmpty();
    error EndpointTooLong(uint256 lengthBytes, uint256 maxBytes);
    error NotAgentOwner(uint256 agentId, address caller, address owner);
    error StakeNotAccepted(uint256 agentId, address owner);
    error EtherWithoutRegistration();

    constructor() ERC721("", "") {}

    receive() external payable {
        revert EtherWithoutRegistration();
    }

    /// @notice Registers an agent for the caller. Exactly `STAKE` must be sent with it.
    /// @return agentId Its number; the sender of a transaction reads it from `AgentRegistered`.
    /// @dev A calling contract is not asked whether it accepts tokens, so that no foreign code runs here.
    function register(string calldata endpoint) external payable nonReentrant returns (uint256 agentId) {
        if (msg.value != STAKE) revert WrongStake(msg.value, STAKE);
        _requireEndpoint(endpoint);
        agentId = ++lastAgentId;
        _endpoints[agentId] = endpoint;
        _mint(msg.sender, agentId);
        emit AgentRegistered(agentId, msg.sender, endpoint, STAKE);
    }

    /// @notice Changes the endpoint of an agent of the caller.
    function updateEndpoint(uint256 agentId, string calldata endpoint) external nonReentrant {
        _requireCallerOwns(agentId);
        _requireEndpoint(endpoint);
        _endpoints[agentId] = endpoint;
        emit EndpointUpdated(agentId, msg.sender, endpoint);
    }

    /// @notice Ends the registration of an agent of the caller and sends the caller its stake. If the caller does
    /// not accept it, nothing changes: the agent stays and can be transferred to an owner that does.
    function deregister(uint256 agentId) external nonReentrant {
        _requireCallerOwns(agentId);
        _burn(agentId);
        delete _endpoints[agentId];
        _deregistered++;
        emit AgentDeregistered(agentId, msg.sender, STAKE);
        (bool accepted,) = msg.sender.call{value: STAKE}("");
        if (!accepted) revert StakeNotAccepted(agentId, msg.sender);
    }

    /// @notice The endpoint of an agent. Reverts when no such agent is registered.
    function endpointOf(uint256 agentId) public view returns (string memory) {
        _requireOwned(agentId);
        return _endpoints[agentId];
    }

    /// @notice The number of agents registered now.
    function agentCount() external view returns (uint256) {
        return lastAgentId - _deregistered;
    }

    function tokenURI(uint256 agentId) public view override returns (string memory) {
        return endpointOf(agentId);
    }

    function name() public pure override returns (string memory) {
        return "Farebox Agents";
    }

    function symbol() public pure override returns (string memory) {
        return "AGENT";
    }

    function _requireEndpoint(string calldata endpoint) private pure {
        uint256 lengthBytes = bytes(endpoint).length;
        if (lengthBytes == 0) revert EndpointEmpty();
        if (lengthBytes > MAX_ENDPOINT_BYTES) revert EndpointTooLong(lengthBytes, MAX_ENDPOINT_BYTES);
    }

    /// @dev Only the owner: an approved operator is not accepted here.
    function _requireCallerOwns(uint256 agentId) private view {
        address owner = _requireOwned(agentId);
        if (owner != msg.sender) revert NotAgentOwner(agentId, msg.sender, owner);
    }
}
